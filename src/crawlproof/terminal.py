"""How commands talk: results to stdout, problems and progress to stderr."""

from __future__ import annotations

import sys
from functools import cache

import typer
from rich.console import Console
from rich.markup import escape


@cache
def console() -> Console:
    """Plain lines stay whole when they go to a file or a pipe."""
    return Console(width=None if sys.stdout.isatty() else 110, soft_wrap=False)


@cache
def problems() -> Console:
    return Console(stderr=True, soft_wrap=True)


def example(*lines: str) -> str:
    """The epilog of a command's help."""
    return "Examples:\n\n" + "\n\n".join(f"  $ {line}" for line in lines)


def fail(message: str, code: int = 1) -> typer.Exit:
    """Say what was wrong in one line; to be raised. Code 1: a check failed, 2: wrong use."""
    problems().print(f"[red]crawlproof:[/] {escape(message)}", highlight=False)
    return typer.Exit(code)
