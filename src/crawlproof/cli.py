"""The command line. Exit codes: 0 fine, 1 a check failed, 2 wrong use."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from crawlproof.queue.commands import app as queue_commands
from crawlproof.schedule import commands as schedule_commands

# Commands about the papers are claimproof's: loaded when one of them runs, so that planning a crawl
# needs none of it. What the list of commands says of them stands here.
VERIFICATION = {
    "verify": "Run the derivations, compute all verdicts, and compare them with the committed ledger.",
    "claims": "Show the claims with their verdicts and evidence, as the committed ledger has them.",
    "errata": "List what is not as printed: the place, a witness, and what holds instead.",
    "diff": "List the claims whose verdict or basis differs between two ledgers.",
    "generate": "Write the numeric functions of all verified exports to the folder of generated formulas.",
    "notebooks": "Build the notebooks from the derivations and execute them.",
}


class _Commands(TyperGroup):
    """All commands; those about the papers are stand-ins until one of them is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*VERIFICATION, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in VERIFICATION:
            return TyperCommand(cmd_name, help=VERIFICATION[cmd_name])
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] in VERIFICATION:
            from crawlproof.verification import command

            return args[0], command(args[0]), args[1:]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="crawlproof", cls=_Commands, no_args_is_help=True, add_completion=False, rich_markup_mode="rich",
    help="Two papers on keeping a search engine fresh: every claim checked, corrected, compiled into solvers.",
)
schedule_commands.register(app)
app.add_typer(queue_commands, name="queue")


def main() -> None:
    app()


if __name__ == "__main__":
    main()
