"""Progress of long computations: a callback, or a bar on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[float, str], None]
"""Called with the share that is done, from 0 to 1, and a few words."""


def silent(share: float, words: str) -> None:
    """Report nothing."""


@contextmanager
def reporting(progress: Report | bool | None, title: str, long: bool) -> Iterator[Report]:
    """What to call with progress: the caller's function; a bar if asked for; by default a bar if it takes long and
    somebody is watching."""
    if callable(progress):
        yield progress
        return
    if not (progress if progress is not None else long and sys.stderr.isatty()):
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(),
               TextColumn("{task.fields[words]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(title, total=1.0, words="")
        yield lambda share, words: bars.update(task, completed=share, words=words)
