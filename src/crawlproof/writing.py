"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a temporary neighbour, then rename it: no one ever sees a half-written file."""
    # The suffix stays last, as some writers choose the format by it.
    unfinished = path.with_name(f".{path.stem}.{os.getpid()}{path.suffix}")
    try:
        write(unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
