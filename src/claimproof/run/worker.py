"""Runs one derivation in this process and writes what it recorded: ``worker SCRIPT OUT``.

A kernel that runs the same derivation as a notebook does it in two steps, ``watch`` when it starts and ``save``
when its last cell has run: one run gives the records and the outputs.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from claimproof.core.files import write_text
from claimproof.core.project import DERIVATION_VARIABLE, RECORDS_VARIABLE

_opened: set[str] = set()


def watch() -> None:
    """From now on, note which files this process opens: the next run depends on them."""

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str):
            _opened.add(arguments[0])

    sys.addaudithook(note)


def save(script: Path, out: Path, namespace: Mapping[str, Any]) -> None:
    """Write what the papers in the namespace of a finished run have recorded."""
    from claimproof.run.inputs import Inputs
    from claimproof.session.paper import Paper
    from claimproof.session.recorder import Recorder

    recorder = Recorder()
    for paper in {id(value): value for value in namespace.values() if isinstance(value, Paper)}.values():
        recorder = recorder.merged(paper.recorder)
    inputs = Inputs.of_this_process(script, _opened)
    write_text(out, json.dumps(recorder.to_json() | {"inputs": inputs.to_json()}))


def save_from_kernel(namespace: Mapping[str, Any]) -> None:
    save(Path(os.environ[DERIVATION_VARIABLE]), Path(os.environ[RECORDS_VARIABLE]), namespace)


def main(script: str, out: str) -> None:
    # Plots go nowhere in a headless run; a warning is a defect of the derivation.
    os.environ.setdefault("MPLBACKEND", "Agg")
    warnings.simplefilter("error")
    watch()
    save(Path(script), Path(out), runpy.run_path(script, run_name="__main__"))


if __name__ == "__main__":
    main(*sys.argv[1:])
