"""The command line. Exit codes: 0 fine, 1 a check failed, 2 wrong use."""

from __future__ import annotations

import fnmatch
import json
import os
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from claimproof import report
from claimproof.core import inventory as inventories
from claimproof.core import ledger as ledgers
from claimproof.core.files import write_text
from claimproof.core.project import NotACheckout, Project
from claimproof.core.verdict import ContradictoryChecks
from claimproof.run import derivations as run
from claimproof.terminal import console, example, fail, problems, program

app = typer.Typer(
    name="claimproof", no_args_is_help=True, add_completion=False, rich_markup_mode="rich",
    help="Verify a paper claim by claim: run its derivations, compare with the ledger, generate what follows.",
)


def _project() -> Project:
    try:
        return Project.find()
    except NotACheckout as error:
        raise fail(str(error), 2) from None


# What an installation without the extra lacks: derivations import all of it, some only when they plot.
_VERIFY_EXTRA = ("sympy", "mpmath", "flint", "jsonschema", "jupytext", "nbclient", "ipykernel", "matplotlib")


def _require_extra() -> None:
    """Derivations run in processes of their own: say what is missing before the first of them fails."""
    for module in _VERIFY_EXTRA:
        if find_spec(module) is None:
            raise fail(f"this needs {module}, which is not installed: pip install 'crawlproof[verify]'", 2)


def _inventory(project: Project) -> inventories.Inventory:
    try:
        return inventories.load(project)
    except inventories.InventoryError as error:
        raise fail(f"claims.toml: {error}") from None


def _ledger(project: Project) -> ledgers.Ledger:
    try:
        return ledgers.Ledger.read(project.ledger)
    except ledgers.LedgerError as error:
        raise fail(str(error)) from None


def _selected(project: Project, only: str | None) -> list[Path]:
    """Derivations by glob on 'paper/name', or on the ids of claims that the ledger has from them; all without one."""
    scripts = project.scripts()
    if only is None:
        return scripts
    names = {script: f"{script.parent.name}/{script.stem}" for script in scripts}
    chosen = [s for s in scripts if fnmatch.fnmatch(names[s], only) or fnmatch.fnmatch(s.stem, only)]
    if not chosen and project.ledger.exists():
        places = {claim["notebook"] for claim in _ledger(project).claims if fnmatch.fnmatchcase(claim["id"], only)}
        chosen = [s for s in scripts if project.notebook_of(project.relative(s)) in places]
    if not chosen:
        known = ", ".join(names.values())
        raise fail(f"--only {only!r} matches no derivation and no claim of the ledger (known: {known})", 2)
    return chosen


def _run(project: Project, scripts: Sequence[Path], use_cache: bool) -> list[run.Outcome]:
    """Run derivations under a live display, or with one plain line each where there is no terminal."""
    if console().is_terminal:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                   TimeElapsedColumn())
        with Progress(*columns, console=console()) as progress:
            task = progress.add_task("derivations", total=len(scripts))

            def show(outcome: run.Outcome) -> None:
                progress.console.print(_outcome_line(outcome))
                progress.advance(task)

            return run.run_all(project, scripts, use_cache, show)
    done = 0

    def tell(outcome: run.Outcome) -> None:
        nonlocal done
        done += 1
        console().print(f"{f'[{done}/{len(scripts)}]':>8} {_outcome_line(outcome)}", markup=False, highlight=False)
        sys.stdout.flush()

    return run.run_all(project, scripts, use_cache, tell)


def _may_use_cache(no_cache: bool) -> bool:
    """Continuous integration believes nothing that was computed before."""
    return not no_cache and os.environ.get("CI", "").lower() not in ("1", "true")


def _outcome_line(outcome: run.Outcome) -> str:
    if outcome.error:
        return f"{outcome.derivation}  FAILED"
    how = "unchanged" if outcome.cached else f"{outcome.seconds:.1f} s"
    return f"{outcome.derivation}  {len(outcome.result.claims)} claims  {how}"


def _raise_on_failures(outcomes: Sequence[run.Outcome]) -> None:
    failed = [outcome for outcome in outcomes if outcome.error]
    for outcome in failed:
        problems().print(f"[red]{escape(outcome.derivation)}:[/] {escape(outcome.error or '')}", highlight=False)
    if failed:
        raise fail(f"{len(failed)} of {len(outcomes)} derivations failed")


def _write(path: Path, text: str) -> None:
    """Write a text whole or not at all."""
    try:
        write_text(path, text)
    except OSError as error:
        raise fail(f"can't write {path}: {error.strerror}", 2) from None


@app.command(epilog=example("claimproof verify", "claimproof verify --only 'clw/s3*'", "claimproof verify --only 'CLW-L3*'", "claimproof verify --json out.json"))
def verify(
    only: Annotated[str | None, typer.Option(help="Run only the derivations that match this glob: paper/name, or ids of claims.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Run everything, even what has not changed.")] = False,
    complete: Annotated[bool, typer.Option("--complete", help="Fail if any claim of any paper is unchecked.")] = False,
    accept: Annotated[bool, typer.Option("--accept", help="Write what was found to the ledger.")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the computed ledger to this file.")] = None,
) -> None:
    """Run the derivations, compute all verdicts, and compare them with the committed ledger."""
    _require_extra()
    started = time.perf_counter()
    project = _project()
    listed = _inventory(project)
    outcomes = _run(project, _selected(project, only), _may_use_cache(no_cache))
    _raise_on_failures(outcomes)
    results = [outcome.result for outcome in outcomes if outcome.result]
    if only is not None:
        _verify_part(project, listed, results)
        return
    try:
        computed = ledgers.build(listed, results, project)
    except (ContradictoryChecks, inventories.InventoryError) as error:
        raise fail(str(error)) from None
    titles = {key: key.upper() for key in listed.papers}
    console().print()
    console().print(report.summary_table(computed, titles))
    console().print(report.evidence_line(computed), highlight=False)
    if lines := report.headlines(computed):
        console().print("\n[bold]Headline findings[/]")
        for line in lines:
            console().print(line, highlight=False)
    if json_file:
        _write(json_file, computed.to_text())
    insist = listed.papers if complete else [key for key, paper in listed.papers.items() if paper.complete]
    if missing := ledgers.incomplete(computed, insist):
        raise fail(f"{len(missing)} claims are unchecked: {', '.join(missing)}")
    if accept:
        _write(project.ledger, computed.to_text())
        console().print(f"\nledger written: {project.relative(project.ledger)}")
    elif changed := ledgers.differences(_ledger(project), computed):
        for line in changed:
            problems().print(escape(line), highlight=False)
        raise fail(f"{len(changed)} claims differ from the ledger (accept them with '{program()} verify --accept')")
    console().print(f"\nAll {len(computed.claims)} claims are as recorded. {time.perf_counter() - started:.1f} s",
                  highlight=False)


def _verify_part(project: Project, listed: inventories.Inventory, results: Sequence[ledgers.DerivationResult]) -> None:
    """A part of the derivations can't give the whole ledger: compare the verdicts of its claims."""
    from claimproof.core.verdict import verdict_of

    committed = {claim["id"]: claim["verdict"] for claim in _ledger(project).claims}
    differing = []
    for result in results:
        for claim_id, checks in result.claims.items():
            found = verdict_of(claim_id, checks).value
            console().print(f"{report.styled(found)}  {escape(claim_id)}", highlight=False)
            if committed.get(claim_id) != found:
                differing.append(f"{claim_id}: the ledger says {committed.get(claim_id)}, now {found}")
    if differing:
        raise fail("; ".join(differing))


@app.command(epilog=example("claimproof claims", "claimproof claims CLW-L3.1", "claimproof claims --summary", "claimproof claims --json"))
def claims(
    claim_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="Tell the whole story of one claim.")] = None,
    summary: Annotated[bool, typer.Option("--summary", help="Only the table of verdicts and the headlines.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the claims with their verdicts and evidence, as the committed ledger has them."""
    project = _project()
    ledger = _ledger(project)
    if claim_id is not None:
        try:
            claim = ledger[claim_id]
        except KeyError:
            close = ", ".join(c["id"] for c in ledger.claims if claim_id.lower() in c["id"].lower()) or "none similar"
            raise fail(f"unknown claim {claim_id!r} ({close})", 2) from None
        if as_json:
            print(json.dumps(claim, indent=1, ensure_ascii=False))
        else:
            report.tell(console(), claim, project.formulas_package)
    elif as_json:
        print(json.dumps(list(ledger.claims), indent=1, ensure_ascii=False))
    else:
        if not summary:
            report.list_claims(console(), ledger.claims)
        console().print(report.summary_table(ledger, {key: key.upper() for key in ledger.counts()}))
        console().print(report.evidence_line(ledger), highlight=False)
        for line in report.headlines(ledger):
            console().print(line, highlight=False)


@app.command(epilog=example("claimproof errata", "claimproof errata --json"))
def errata(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List what is not as printed: the place, a witness, and what holds instead."""
    wrong = _ledger(_project()).errata()
    if as_json:
        print(json.dumps(wrong, indent=1, ensure_ascii=False))
    else:
        report.tell_errata(console(), wrong)


@app.command(epilog=example("claimproof generate", "claimproof generate --check"))
def generate(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if formulas/ differs.")] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Run the derivations anew.")] = False,
) -> None:
    """Write the numeric functions of all verified exports to the folder of generated formulas."""
    _require_extra()
    project = _project()
    _inventory(project)
    # Derivations about shipped code need the formulas that are written here, and export none.
    scripts = [script for script in project.scripts() if not project.is_about_shipped_code(script)]
    outcomes = _run(project, scripts, _may_use_cache(no_cache))
    _raise_on_failures(outcomes)
    from claimproof.codegen import generator
    from claimproof.codegen.export import Export
    from claimproof.core.verdict import verdict_of

    results = [outcome.result for outcome in outcomes if outcome.result]
    try:
        verdicts = {claim: verdict_of(claim, checks).value for result in results for claim, checks in result.claims.items()}
        exports = [Export.from_json(e) for result in results for e in result.exports]
        if check:
            if differing := generator.check(exports, verdicts, project.formulas):
                for line in differing:
                    problems().print(escape(line), highlight=False)
                raise fail(f"formulas differ in {len(differing)} places (regenerate with '{program()} generate')")
            console().print(f"formulas are as generated: {len(exports)} functions")
        else:
            generator.generate(exports, verdicts, project.formulas)
            console().print(f"{len(exports)} functions written to {project.relative(project.formulas)}")
    except (ContradictoryChecks, inventories.InventoryError, generator.GenerationError) as error:
        raise fail(str(error)) from None


@app.command(epilog=example("claimproof notebooks", "claimproof notebooks --only 'clw/s3*'", "claimproof notebooks --check"))
def notebooks(
    only: Annotated[str | None, typer.Option(help="Build only the notebooks that match this glob: paper/name, or ids of claims.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if a notebook and its derivation differ.")] = False,
) -> None:
    """Build the notebooks from the derivations and execute them."""
    _require_extra()
    from claimproof.run import notebooks as builder

    project = _project()
    scripts = _selected(project, only)
    if check:
        if only is None:
            drifted = builder.check(project.derivations, project.notebooks)
        else:
            drifted = [
                line for script in scripts
                for line in builder.drift(script, builder.notebook_for(script, project.notebooks))
            ]
        for line in drifted:
            problems().print(escape(line), highlight=False)
        if drifted:
            raise fail(f"notebooks differ from their derivations (rebuild with '{program()} notebooks')")
        console().print(f"{len(scripts)} notebooks match their derivations")
        return
    try:
        builder.build(scripts, project.notebooks)
    except builder.BuildFailed as error:
        raise fail(str(error)) from None


def main() -> None:
    app()


if __name__ == "__main__":
    main()
