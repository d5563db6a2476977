"""Runs one derivation in this process and writes what it recorded: ``worker SCRIPT OUT``."""

from __future__ import annotations

import json
import os
import runpy
import sys
import time
import warnings
from pathlib import Path
from typing import Any


def main(script: str, out: str) -> None:
    # Plots go nowhere in a headless run; a warning is a defect of the derivation.
    os.environ.setdefault("MPLBACKEND", "Agg")
    warnings.simplefilter("error")
    opened: set[str] = set()

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str):
            opened.add(arguments[0])

    sys.addaudithook(note)
    from claimproof.run.inputs import Inputs
    from claimproof.session.paper import Paper
    from claimproof.session.recorder import Recorder

    started = time.perf_counter()
    namespace = runpy.run_path(script, run_name="__main__")
    recorder = Recorder()
    for paper in {id(value): value for value in namespace.values() if isinstance(value, Paper)}.values():
        recorder = recorder.merged(paper.recorder)
    seconds = time.perf_counter() - started
    inputs = Inputs.of_this_process(Path(script), opened)
    recorded = recorder.to_json() | {"seconds": seconds, "inputs": inputs.to_json()}
    Path(out).write_text(json.dumps(recorded), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
