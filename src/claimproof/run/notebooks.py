"""Executed notebooks, built from the derivations and nothing else.

A derivation (``derivations/<paper>/<name>.py``, jupytext's percent format) is the text that
people edit; ``notebooks/<paper>/<name>.ipynb`` is that text after a run. The same derivation
gives the same bytes wherever it is built: cell ids come from the cells, and nothing that
belongs to the machine or the moment (times, versions, paths, image software tags) is kept.

    build(derivation_files(Path("derivations")), Path("notebooks"))
    check(Path("derivations"), Path("notebooks"))      # [] when the two folders agree
"""

from __future__ import annotations

import base64
import difflib
import hashlib
import os
import re
import struct
import sys
import tempfile
import textwrap
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import ipykernel.kernelspec
import jupytext
import nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from traitlets import default

from claimproof.core.files import write_text
from claimproof.core.project import DERIVATION_VARIABLE, RECORDS_VARIABLE, Project

CELL_TIMEOUT = 300
"""Seconds that one cell may take, here and under nbval."""

KERNEL_WARNINGS = ",".join(
    [
        "error",
        # ipykernel warns about its own do_shutdown whenever it is asked to stop; as an error
        # this would make every kernel ignore the request and wait to be killed.
        "ignore::PendingDeprecationWarning:ipykernel.kernelbase",
        # From Python 3.12 on, tornado warns while a kernel starts, which then would not.
        "ignore::DeprecationWarning:tornado.ioloop",
    ]
)
"""``PYTHONWARNINGS`` of a kernel: a warning in a notebook is an error."""

_MATPLOTLIBRC = "svg.hashsalt: crawlproof\n"

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_SVG_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)


class BuildFailed(Exception):
    """One or more derivations gave no notebook; the message names each with its cell."""

    def __init__(self, failures: dict[Path, str]) -> None:
        self.failures = failures
        super().__init__("\n\n".join(f"{os.path.relpath(path)}: {why}" for path, why in failures.items()))


class UnfitOutput(ValueError):
    """A cell's output can't be committed: it would differ on another machine or run."""


class CellFailed(RuntimeError):
    """A cell raised; the message has its number, the error and the cell."""


@dataclass(frozen=True)
class Built:
    """A notebook as it was written; ``changed`` tells whether its bytes differ from before."""

    derivation: Path
    notebook: Path
    seconds: float
    changed: bool


def derivation_files(root: Path, only: str = "*") -> list[Path]:
    """All derivations below ``root`` whose name, or ``paper/name``, matches the glob ``only``."""
    return [
        path
        for path in sorted(root.glob("*/*.py"))
        if path.match(only) or path.with_suffix("").match(only) or path.parent.match(only)
    ]


def notebook_for(derivation: Path, out: Path) -> Path:
    """Where the notebook of a derivation belongs."""
    return out / derivation.parent.name / f"{derivation.stem}.ipynb"


def read(derivation: Path) -> NotebookNode:
    """The derivation as an unexecuted notebook, equal for equal text."""
    source = jupytext.reads(derivation.read_text(encoding="utf-8"), fmt="py:percent")
    notebook = nbformat.v4.new_notebook(metadata=nbformat.from_dict(_METADATA))
    seen: Counter[tuple[str, str]] = Counter()
    for cell in source.cells:
        kind = cell.cell_type, cell.source
        cell.id = _cell_id(*kind, seen[kind])
        seen[kind] += 1
        # jupytext notes unusual spacing of the script here; a notebook has no use for it.
        for key in [key for key in cell.metadata if key.startswith("lines_to_")]:
            del cell.metadata[key]
        notebook.cells.append(cell)
    return notebook


def build(
    derivations: Sequence[Path],
    out: Path,
    jobs: int | None = None,
    *,
    timeout: int = CELL_TIMEOUT,
    console: Console | None = None,
    project: Project | None = None,
) -> list[Built]:
    """Run the derivations in parallel processes and write their notebooks below ``out``.

    What the runs of a ``project``'s derivations record goes to its cache. A derivation that fails leaves its old notebook alone and doesn't stop the others; all
    failures are then raised together as :class:`BuildFailed`.
    """
    console = console or Console(stderr=True)
    workers = max(1, min(jobs or os.cpu_count() or 1, len(derivations)))
    built: list[Built] = []
    failures: dict[Path, str] = {}
    # spawn, not fork: the caller may have threads (rich's refresh is one).
    with (
        _progress(console) as progress,
        ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
    ):
        task = progress.add_task("notebooks", total=len(derivations)) if progress else None
        running = {pool.submit(_build_one, path, out, timeout, project): path for path in derivations}
        for future in as_completed(running):
            path = running[future]
            try:
                result = future.result()
            except (CellFailed, CellTimeoutError, DeadKernelError, UnfitOutput) as error:
                failures[path] = _ANSI.sub("", str(error)).strip()
                line = f"failed   {os.path.relpath(path)}"
            else:
                built.append(result)
                word = "built" if result.changed else "same"
                line = f"{word:<8} {os.path.relpath(result.notebook)}  {result.seconds:.1f} s"
            console.print(line, markup=False, highlight=False, soft_wrap=True)
            if progress:
                progress.advance(task)
    if failures:
        raise BuildFailed({path: failures[path] for path in derivations if path in failures})
    return sorted(built, key=lambda result: result.notebook)


def drift(derivation: Path, notebook: Path) -> list[str]:
    """What is in the notebook but not in its derivation, or the other way round; [] if nothing."""
    if not derivation.exists():
        return [f"{notebook} has no derivation {derivation}"]
    if not notebook.exists():
        return [f"{derivation} has no notebook {notebook}: run `make notebooks`"]
    wanted = read(derivation).cells
    found = nbformat.read(notebook, as_version=4).cells
    problems = []
    if len(wanted) != len(found):
        problems.append(
            f"{notebook} has {len(found)} cells, {derivation} has {len(wanted)}: "
            "run `make notebooks`"
        )
    for number, (want, have) in enumerate(zip(wanted, found, strict=False)):
        difference = _cell_difference(want, have)
        if difference:
            problems.append(
                f"{notebook}, cell {number}: {difference}; "
                f"edit {derivation}, never the notebook, then run `make notebooks`"
            )
    if not problems:
        problems = [f"{notebook}, {problem}" for problem in _not_run_in_order(found)]
    return problems


def check(derivations: Path, notebooks: Path, only: str = "*") -> list[str]:
    """:func:`drift` of every derivation, and every notebook whose derivation is gone."""
    problems = []
    for path in derivation_files(derivations, only):
        problems += drift(path, notebook_for(path, notebooks))
    for path in sorted(notebooks.glob("*/*.ipynb")):
        source = derivations / path.parent.name / f"{path.stem}.py"
        if source.match(only) and not source.exists():
            problems += drift(source, path)
    return problems


# The last that a kernel is asked for: what its run has recorded.
SAVE_RECORDS = '__import__("claimproof.run.worker", fromlist=["save_from_kernel"]).save_from_kernel(globals())'
_WATCH = '__import__("claimproof.run.worker", fromlist=["watch"]).watch()\n'


def kernel_environment(home: Path, derivation: Path | None = None) -> dict[str, str]:
    """The environment that every kernel of ours runs in, when built and when validated.

    ``home`` is a scratch folder: the settings and start-up files that a person keeps for
    IPython or matplotlib must not decide what a notebook says. A kernel that knows its ``derivation``
    can be asked to ``SAVE_RECORDS``, and writes them to ``records_of(home)``.
    """
    startup = home / "profile_default" / "startup"
    startup.mkdir(parents=True, exist_ok=True)
    matplotlibrc = home / "matplotlibrc"
    matplotlibrc.write_text(_MATPLOTLIBRC, encoding="utf-8")
    told: dict[str, str] = {}
    if derivation is not None:
        (startup / "00-watch.py").write_text(_WATCH, encoding="utf-8")
        told = {DERIVATION_VARIABLE: str(derivation.resolve()), RECORDS_VARIABLE: str(records_of(home))}
    return os.environ | told | {
        "COLUMNS": "100",  # else line breaks of printed expressions follow the terminal
        "IPYTHONDIR": str(home),
        "MATPLOTLIBRC": str(matplotlibrc),
        # Kernels run side by side; threads of a numeric library would fight for the cores.
        "MKL_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONWARNINGS": KERNEL_WARNINGS,
        "TZ": "UTC",
    }


def records_of(home: Path) -> Path:
    """Where the kernel with this scratch folder leaves its records."""
    return home / "records.json"


class _ThisInterpreter(KernelSpecManager):
    """Answers any kernel name with the running interpreter: no kernelspec need be installed,
    and one that is installed elsewhere can't be picked up by accident."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(**ipykernel.kernelspec.get_kernel_dict())


class _ThisInterpreterManager(AsyncKernelManager):
    @default("kernel_spec_manager")
    def _use_this_interpreter(self) -> KernelSpecManager:
        return _ThisInterpreter(parent=self)


def _build_one(derivation: Path, out: Path, timeout: int, project: Project | None) -> Built:
    started = time.monotonic()
    target = notebook_for(derivation, out)
    target.parent.mkdir(parents=True, exist_ok=True)
    notebook = read(derivation)
    records = _execute(notebook, target.parent, timeout, None if project is None else derivation)
    _make_portable(notebook)
    text = nbformat.writes(notebook, version=4)
    if not text.endswith("\n"):
        text += "\n"
    changed = not target.exists() or target.read_text(encoding="utf-8") != text
    if changed:
        # Replace in one step: a reader, or a stopped build, never sees half a notebook.
        unfinished = target.with_suffix(".ipynb.part")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(target)
    if project is not None and records is not None:
        # The same run as `verify` would make, so that it need not make it again.
        project.cache.mkdir(parents=True, exist_ok=True)
        write_text(project.records_in(project.cache, derivation), records)
    return Built(derivation, target, time.monotonic() - started, changed)


def _execute(notebook: NotebookNode, folder: Path, timeout: int, derivation: Path | None) -> str | None:
    """Run all cells; the records of the run, if it knows its derivation."""
    records = None
    if derivation is not None:
        notebook.cells.append(nbformat.v4.new_code_cell(SAVE_RECORDS))
    with tempfile.TemporaryDirectory(prefix="claimproof-kernel-") as home:
        log = Path(home, "kernel.log")
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            kernel_manager_class=_ThisInterpreterManager,
            timeout=timeout,
            record_timing=False,
            coalesce_streams=True,
            # the folder that nbval uses, too
            resources={"metadata": {"path": str(folder.resolve())}},
        )
        with log.open("w") as stderr:
            try:
                client.execute(env=kernel_environment(Path(home), derivation), stderr=stderr)
            except CellExecutionError as error:
                raise CellFailed(_failure(notebook, error)) from None
            except DeadKernelError as error:
                words = log.read_text(errors="replace")[-2000:]
                raise DeadKernelError(f"{error}\nThe kernel's last words:\n{words}") from error
        if derivation is not None:
            records = records_of(Path(home)).read_text(encoding="utf-8")
            notebook.cells.pop()
    # nbclient describes the interpreter here, down to its patch release.
    notebook.metadata = nbformat.from_dict(_METADATA)
    for number, cell in enumerate(notebook.cells):
        if _must_raise(cell) and not any(out.output_type == "error" for out in cell.outputs):
            raise UnfitOutput(f"cell {number} is tagged raises-exception, but raised nothing")
    return records


def _failure(notebook: NotebookNode, error: CellExecutionError) -> str:
    """What a person needs to find the place; frames inside libraries only hide it."""
    run = [(number, cell) for number, cell in enumerate(notebook.cells) if cell.get("outputs")]
    number, cell = run[-1]
    return f"cell {number}: {error.ename}: {error.evalue}\n{textwrap.indent(cell.source, '    ')}"


def _must_raise(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and "raises-exception" in cell.metadata.get("tags", [])


def _make_portable(notebook: NotebookNode) -> None:
    """Drop what belongs to the machine or the moment, and refuse what can't be dropped."""
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                # Frames name files of this machine; name and message of the error stay.
                output.traceback = [f"{output.ename}: {output.evalue}"]
            data = output.get("data", {})
            if "image/png" in data:
                data["image/png"] = _plain_png(data["image/png"])
            if "image/svg+xml" in data:
                data["image/svg+xml"] = _SVG_METADATA.sub("", data["image/svg+xml"])
            for text in _texts(output):
                if address := _ADDRESS.search(text):
                    raise UnfitOutput(
                        f"cell {number} shows {address.group()}, which changes with every run: "
                        "end the line with a semicolon, or show something else"
                    )
                if path := _machine_path().search(text):
                    raise UnfitOutput(f"cell {number} shows {path.group()}, a path of this machine")


def _texts(output: NotebookNode) -> Iterable[str]:
    for key in ("text", "evalue"):
        if key in output:
            yield output[key]
    for kind, value in output.get("data", {}).items():
        # Base64 could hold anything, by chance also "0x..."; it has no paths to show.
        if isinstance(value, str) and kind != "image/png":
            yield value


def _machine_path() -> re.Pattern[str]:
    places = {Path.home(), Path.cwd(), Path(sys.prefix), Path(tempfile.gettempdir())}
    # Longest first, to name the whole path; not after a word or bracket, where "/root" divides.
    names = sorted((str(place) for place in places if place.name), key=len, reverse=True)
    return re.compile(rf"(?<![\w)])(?:{'|'.join(map(re.escape, names))})\b")


def _plain_png(encoded: str) -> str:
    """The same picture without the text and time chunks that name software and date."""
    raw = base64.b64decode(encoded)
    signature, position, kept = raw[:8], 8, []
    while position < len(raw):
        (length,) = struct.unpack(">I", raw[position : position + 4])
        end = position + 12 + length
        if raw[position + 4 : position + 8] not in (b"tEXt", b"zTXt", b"iTXt", b"tIME"):
            kept.append(raw[position:end])
        position = end
    return base64.b64encode(signature + b"".join(kept)).decode("ascii")


def _cell_id(cell_type: str, source: str, occurrence: int) -> str:
    """From the cell itself, so that an edit changes one id and not all that follow."""
    digest = hashlib.sha256(f"{cell_type}\0{occurrence}\0{source}".encode())
    return digest.hexdigest()[:12]


def _cell_difference(want: NotebookNode, have: NotebookNode) -> str | None:
    if want.cell_type != have.cell_type:
        return f"is {have.cell_type}, should be {want.cell_type}"
    if want.source != have.source:
        lines = difflib.unified_diff(
            want.source.splitlines(), have.source.splitlines(), lineterm="", n=0
        )
        changed = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
        return "source differs (- derivation, + notebook):\n" + "\n".join(changed) + "\n"
    if want.metadata != have.metadata:
        return f"metadata is {dict(have.metadata)}, should be {dict(want.metadata)}"
    return None


def _not_run_in_order(cells: Sequence[NotebookNode]) -> Iterable[str]:
    """Committed outputs come from one run from top to bottom, or they prove nothing."""
    # Empty cells are never sent to a kernel.
    code = [(n, cell) for n, cell in enumerate(cells) if cell.cell_type == "code" and cell.source]
    for expected, (number, cell) in enumerate(code, start=1):
        if cell.execution_count is None:
            yield f"cell {number} was never run: run `make notebooks`"
        elif cell.execution_count != expected:
            yield (
                f"cell {number} was run as [{cell.execution_count}] instead of [{expected}]: "
                "run `make notebooks`"
            )


def _progress(console: Console) -> Progress | nullcontext[None]:
    if not console.is_terminal:
        return nullcontext()
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )
