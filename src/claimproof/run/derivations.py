"""Running derivations: each in a process of its own, in parallel, cached by content."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimproof.core.files import write_text
from claimproof.core.ledger import DerivationResult
from claimproof.core.project import Project
from claimproof.run.inputs import Inputs


@dataclass(frozen=True)
class Outcome:
    """How the run of one derivation ended."""

    derivation: str
    seconds: float
    cached: bool
    result: DerivationResult | None
    error: str | None = None


def _kept(project: Project, script: Path) -> dict[str, Any] | None:
    """The last result of a derivation, if nothing that it depended on has changed."""
    try:
        data: dict[str, Any] = json.loads(project.records_in(project.cache, script).read_text(encoding="utf-8"))
        return data if Inputs.from_json(data["inputs"]).unchanged(project) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # no result, or not one of ours: run it


def _failure(stderr: str) -> str:
    """The last line of a traceback says what was wrong; the line of the script says where."""
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    where = [line.strip() for line in lines if "derivations" in line and line.strip().startswith("File")]
    place = ""
    if where:
        name, _, rest = where[-1].partition('", line ')
        place = f" ({Path(name.split(chr(34))[-1]).name}, line {rest.split(',')[0]})"
    # A message may span lines: take everything from the last line that is not indented.
    starts = [n for n, line in enumerate(lines) if not line.startswith((" ", "\t")) and ": " in line]
    message = " ".join(lines[starts[-1]:]) if starts else (lines[-1] if lines else "no output")
    return message + place


def run_one(project: Project, script: Path, use_cache: bool, recorded: Path | None = None) -> Outcome:
    """Run one derivation, or take its result from the cache of the same content, or from the folder ``recorded``
    where a run that has just been made (as a notebook) left it."""
    name = project.relative(script)
    if recorded is not None and (kept_in := project.records_in(recorded, script)).is_file():
        return Outcome(name, 0.0, True, DerivationResult.from_json(name, json.loads(kept_in.read_text(encoding="utf-8"))))
    if use_cache and (kept := _kept(project, script)) is not None:
        return Outcome(name, 0.0, True, DerivationResult.from_json(name, kept))
    # Threads of a numeric library would fight with the other derivations for the cores.
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment = os.environ | single | {"PYTHONHASHSEED": "0", "CLAIMPROOF_ROOT": str(project.root)}
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "records.json"
        process = subprocess.run(
            [sys.executable, "-m", "claimproof.run.worker", str(script), str(out)],
            cwd=project.root, env=environment, capture_output=True, text=True, check=False,
        )
        seconds = time.perf_counter() - started
        if process.returncode != 0:
            return Outcome(name, seconds, False, None, _failure(process.stderr))
        data: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    project.cache.mkdir(parents=True, exist_ok=True)
    write_text(project.records_in(project.cache, script), json.dumps(data))
    return Outcome(name, seconds, False, DerivationResult.from_json(name, data))


def run_all(
    project: Project, scripts: Iterable[Path], use_cache: bool = True,
    report: Callable[[Outcome], None] = lambda outcome: None, recorded: Path | None = None,
) -> list[Outcome]:
    """Run derivations on all cores; outcomes come back in the order of the scripts.

    Those about shipped code wait for the others, from which that code is generated.
    """
    scripts = list(scripts)
    first = [script for script in scripts if not project.is_about_shipped_code(script)]
    done: dict[Path, Outcome] = {}
    for part in (first, [script for script in scripts if script not in first]):
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            futures = {pool.submit(run_one, project, script, use_cache, recorded): script for script in part}
            for future in as_completed(futures):
                done[futures[future]] = future.result()
                report(done[futures[future]])
    return [done[script] for script in scripts]
