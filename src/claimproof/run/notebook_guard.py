"""A pytest plugin that closes the holes through which nbval lets a notebook pass.

nbval runs each cell and compares its output with the stored one. By itself it

* compares nothing when a cell was never run, so that a notebook with its outputs stripped passes;
* passes a ``raises-exception`` cell that raises nothing;
* goes on after a failure, so that one error drowns in the NameErrors that follow;
* waits for the cell timeout (2000 s by default) when the kernel has died;
* does not miss a plot or a formula that is no longer shown, nor see one too many;
* obeys tags and comments that switch it off;
* ignores the semicolon that hides a cell's value, so that such a cell never compares equal;
* runs kernels with whatever settings the person at the keyboard has;
* reports in colours, to files too, and doesn't say in its summary what was wrong.

A notebook that was built from a derivation also leaves what it recorded: in the folder that ``RECORDED`` names
stands then the same as after a run of the script, and the ledger's tests need no second run.

Every promise made here is tested in ``test_guard.py``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator, Iterable
from pathlib import Path
from queue import Empty

import nbval.plugin
import pytest
from nbformat import NotebookNode
from nbval.kernel import RunningKernel, start_new_kernel
from nbval.plugin import IPyNbCell, IPyNbFile

from claimproof.core.files import write_text
from claimproof.core.project import NotACheckout, Project
from claimproof.run.notebooks import CELL_TIMEOUT, SAVE_RECORDS, kernel_environment, records_of

# The environment variable with the folder of this session's records, for tests and for worker processes.
RECORDED = "CLAIMPROOF_RECORDED"

NOT_COMPARED = (
    "text/latex",  # changes between sympy versions; the verdict lines say what counts
    "text/html",
    "image/png",
    "image/svg+xml",
    "stderr",
)

ANSI_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
STOPPED_AT = pytest.StashKey[str]()
PASSED = pytest.StashKey[int]()


class KernelDied(RuntimeError):
    """The kernel's process ended while a cell was running."""


class WatchedKernel(RunningKernel):
    """nbval's kernel in our environment, whose death is noticed within a second."""

    # The notebook whose cells are about to run: nbval starts a kernel without saying for which.
    notebook: Path

    def __init__(
        self, kernel_name: str, cwd: str | None = None, startup_timeout: float = 60
    ) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="claimproof-kernel-")
        self.derivation = _derivation_of(self.notebook)
        self.km, self.kc = start_new_kernel(
            startup_timeout=startup_timeout,
            kernel_name=kernel_name,
            stderr=subprocess.DEVNULL,
            cwd=cwd,
            env=kernel_environment(Path(self._home.name), self.derivation),
        )
        self._ensure_iopub_up()

    def keep_records(self) -> None:
        """What the finished run has recorded, for the tests of the ledger."""
        folder = os.environ.get(RECORDED)
        if folder and self.derivation is not None:
            self.await_reply(self.kc.execute(SAVE_RECORDS, silent=True, store_history=False))
            place = Project.find(self.notebook.parent).records_in(Path(folder), self.derivation)
            write_text(place, records_of(Path(self._home.name)).read_text(encoding="utf-8"))

    def execute_cell_input(self, cell_input: str, allow_stdin: bool | None = None) -> str:
        # With history, unlike nbval: IPython looks there for the semicolon that hides a value.
        return self.kc.execute(
            cell_input, store_history=True, allow_stdin=bool(allow_stdin), stop_on_error=False
        )

    def await_reply(self, msg_id: str, timeout: float | None = None) -> None:
        deadline = time.monotonic() + (CELL_TIMEOUT if timeout is None else timeout)
        while True:
            try:
                return super().await_reply(msg_id, timeout=1)
            except Empty:
                if not self.is_alive():
                    self.kc.stop_channels()
                    raise KernelDied("The kernel died while it ran this cell") from None
                if time.monotonic() > deadline:
                    raise


def _derivation_of(notebook: Path) -> Path | None:
    """The derivation that a notebook was built from, if there is one."""
    try:
        derivation = Project.find(notebook.parent).derivation_of(notebook)
    except NotACheckout:
        return None
    return derivation if derivation.is_file() else None


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # worker processes inherit the controller's folder
        folder = tempfile.mkdtemp(prefix="claimproof-recorded-")
        os.environ[RECORDED] = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    nbval.plugin.RunningKernel = WatchedKernel
    config.option.nbval_cell_timeout = min(config.option.nbval_cell_timeout, CELL_TIMEOUT)
    # The interpreter that runs the tests, whatever kernels are installed elsewhere.
    config.option.nbval_current_env = not config.option.nbval_kernel_name
    spread = getattr(config.option, "tx", None) and config.option.dist
    if spread and spread not in ("loadfile", "loadscope"):
        raise pytest.UsageError(
            f"--dist {spread} spreads the cells of a notebook over several kernels: "
            "use `make test`, or -n with --dist loadfile"
        )


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    collectors = yield
    for collector in _flat(collectors):
        if isinstance(collector, IPyNbFile):
            collector.skip_compare = (*collector.skip_compare, *NOT_COMPARED)
    return collectors


def _flat(collectors: Iterable) -> Iterable[pytest.Collector]:
    for collector in collectors:
        yield from collector if isinstance(collector, (list, tuple)) else [collector]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if isinstance(item, IPyNbCell):
        if cell := item.parent.stash.get(STOPPED_AT, None):
            pytest.skip(f"{item.path.name} stopped at {cell}")
        WatchedKernel.notebook = item.path


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """After the last cell of a notebook of which every cell has passed."""
    if isinstance(item, IPyNbCell) and (nextitem is None or nextitem.parent is not item.parent):
        code = sum(cell.cell_type == "code" for cell in item.parent.nb.cells)
        if item.parent.stash.get(PASSED, 0) == code:
            item.parent.kernel.keep_records()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    if not isinstance(item, IPyNbCell):
        return (yield)
    if problem := _why_not_comparable(item):
        item.raise_cell_error(problem)
    try:
        result = yield
    except KernelDied as death:
        item.raise_cell_error(str(death))
    if item.options["check_exception"] and not _raised(item):
        item.raise_cell_error("Tagged raises-exception, but raised nothing")
    if problem := _other_outputs(item):
        item.raise_cell_error(problem)
    item.parent.stash[PASSED] = item.parent.stash.get(PASSED, 0) + 1
    return result


def _other_outputs(cell: IPyNbCell) -> str | None:
    """Kinds of output that are not compared may change, but not how many there are of which."""
    stored, found = (_kinds(outputs) for outputs in (cell.cell.get("outputs", []), cell.test_outputs))
    if stored == found:
        return None
    return f"Shows other kinds of output: stored {_listed(stored)}, now {_listed(found)}"


def _kinds(outputs: Iterable[NotebookNode]) -> list[tuple[str, ...]]:
    """The kinds of each output in order; text on stdout may come in any number of pieces, stderr says nothing."""
    kinds: list[tuple[str, ...]] = []
    for output in outputs:
        if output.output_type == "stream":
            if output.name == "stdout" and ("stdout",) not in kinds:
                kinds.append(("stdout",))
        else:
            kinds.append(tuple(sorted(output.get("data", {}))) or (output.output_type,))
    return kinds


def _listed(kinds: list[tuple[str, ...]]) -> str:
    return "; ".join(" with ".join(kind) for kind in kinds) or "none"


def _why_not_comparable(cell: IPyNbCell) -> str | None:
    # A blank cell is never sent to a kernel, so it has no number either.
    if cell.cell.execution_count is None and cell.cell.source.strip():
        return "Unrun reference cell: its output was stripped or never made; run `make notebooks`"
    if cell.options["skip"]:
        return "Tells nbval to skip it: a cell that isn't run checks nothing"
    if not cell.options["check"]:
        return "Tells nbval to ignore its output: print something that can be compared instead"
    return None


def _raised(cell: IPyNbCell) -> bool:
    return any(output.output_type == "error" for output in cell.test_outputs)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if isinstance(item, IPyNbCell) and report.failed:
        item.parent.stash.setdefault(STOPPED_AT, item.name)
        if isinstance(report.longrepr, str):
            report.longrepr = _readable(report.longrepr, item.name)
    return report


def _readable(failure: str, cell: str) -> str:
    """nbval's text of a failure, plain, with what was wrong in the first line.

    The first line is all that pytest's summary shows.
    """
    lines = ANSI_COLOUR.sub("", failure).rstrip().splitlines()
    if lines[0] == "Notebook cell execution failed":
        del lines[0]
    lines[0] = lines[0].removeprefix(f"{cell}: ")
    if lines[0] == "Cell execution caused an exception":
        lines[0] += f": {lines[-1]}"
    return "\n".join(lines)
