"""Runs one derivation in this process and writes what it recorded: ``worker SCRIPT OUT``."""

from __future__ import annotations

import json
import os
import runpy
import sys
import time
import warnings
from pathlib import Path


def main(script: str, out: str) -> None:
    # Plots go nowhere in a headless run; a warning is a defect of the derivation.
    os.environ.setdefault("MPLBACKEND", "Agg")
    warnings.simplefilter("error")
    from crawlproof.claims.paper import RECORDER

    started = time.perf_counter()
    runpy.run_path(script, run_name="__main__")
    recorded = RECORDER.to_json() | {"seconds": time.perf_counter() - started}
    Path(out).write_text(json.dumps(recorded), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
