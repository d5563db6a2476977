"""Every promise of the guard, on small notebooks that break exactly one of them."""

from __future__ import annotations

import sys
import textwrap
import time

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

pytest_plugins = ["pytester"]

VERDICT = "CLW-L3.1  holds  symbolic · sampled 64/64 at 60 digits · mutants killed 7/7\n"


def ran(source: str, *outputs, tags=(), count=1):
    """A code cell as an execution left it."""
    metadata = {"tags": list(tags)} if tags else {}
    return new_code_cell(
        textwrap.dedent(source), execution_count=count, outputs=list(outputs), metadata=metadata
    )


def printed(text: str, name: str = "stdout"):
    return new_output("stream", name=name, text=text)


def shown(**data: str):
    kinds = {key.replace("_", "/").replace("svg", "svg+xml"): text for key, text in data.items()}
    return new_output("execute_result", data=kinds, execution_count=1)


def raised(name: str, message: str):
    return new_output("error", ename=name, evalue=message, traceback=[f"{name}: {message}"])


@pytest.fixture
def validate(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """Run pytest with the guard on a notebook of the given cells."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("COLUMNS", "200")  # pytest cuts its summary to the width
    pytester.makepyprojecttoml(
        """
        [tool.pytest.ini_options]
        addopts = ["--nbval", "-p", "no:cacheprovider", "-ra"]
        """
    )
    pytester.makeconftest('pytest_plugins = ["claimproof.pytest_plugin"]')

    def run(*cells, options=()) -> pytest.RunResult:
        nbformat.write(new_notebook(cells=list(cells)), pytester.path / "sample.ipynb")
        return pytester.runpytest_subprocess(*options)

    return run


def test_a_good_notebook_passes(validate):
    result = validate(
        ran(f"print({VERDICT.strip()!r})", printed(VERDICT)),
        ran("x = 2\nx", shown(text_plain="2"), count=2),
        ran("x;", count=3),
    )
    result.assert_outcomes(passed=3)


def test_a_changed_verdict_line_fails_and_is_shown(validate):
    result = validate(
        ran("print('CLW-L3.1  holds  symbolic')", printed("CLW-L3.1  gap  symbolic\n"))
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*CLW-L3.1  gap  symbolic*", "*CLW-L3.1  holds  symbolic*", "FAILED *outputs differ*"]
    )


@pytest.mark.parametrize(
    "stored",
    [VERDICT.replace("64/64", "63/64"), VERDICT.rstrip("\n"), VERDICT.replace("  ", " ")],
    ids=["digit", "newline", "space"],
)
def test_verdict_lines_are_compared_to_the_letter(validate, stored):
    validate(ran(f"print({VERDICT.strip()!r})", printed(stored))).assert_outcomes(failed=1)


def test_an_unrun_cell_fails(validate):
    result = validate(new_code_cell(f"print({VERDICT.strip()!r})"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["FAILED sample.ipynb::Cell 0 - *Unrun reference cell*"])


def test_a_cell_whose_outputs_alone_were_stripped_fails(validate):
    validate(ran(f"print({VERDICT.strip()!r})")).assert_outcomes(failed=1)


def test_a_blank_cell_is_no_unrun_cell(validate):
    validate(new_code_cell("")).assert_outcomes(passed=1)


def test_a_cell_that_should_raise_and_does_passes(validate):
    cell = ran("raise ValueError('no')", raised("ValueError", "no"), tags=["raises-exception"])
    validate(cell).assert_outcomes(passed=1)


def test_a_cell_that_should_raise_and_does_not_fails(validate):
    result = validate(ran("x = 1", tags=["raises-exception"]))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["FAILED *raised nothing*"])


def test_a_cell_that_raises_another_error_than_stored_fails(validate):
    cell = ran("raise KeyError('no')", raised("ValueError", "no"), tags=["raises-exception"])
    validate(cell).assert_outcomes(failed=1)


def test_a_notebook_stops_at_its_first_failure(validate):
    result = validate(
        ran("good = 1"),
        ran("bad = missing", count=2),
        ran("print(bad)", printed("1\n"), count=3),
        ran("print(good)", printed("1\n"), count=4),
    )
    result.assert_outcomes(passed=1, failed=1, skipped=2)
    result.stdout.fnmatch_lines(
        ["SKIPPED *sample.ipynb stopped at Cell 1", "FAILED *NameError: name 'missing'*"]
    )


def test_each_notebook_stops_alone(validate, pytester):
    good = new_notebook(cells=[ran("print(1)", printed("1\n"))])
    nbformat.write(good, pytester.path / "zz_later.ipynb")
    validate(ran("1/0"), ran("x = 1", count=2)).assert_outcomes(passed=1, failed=1, skipped=1)


@pytest.mark.parametrize("kind", ["text_latex", "text_html", "image_png", "image_svg"])
def test_kinds_that_are_not_compared(validate, kind):
    mime = {"image_svg": "image/svg+xml"}.get(kind, kind.replace("_", "/"))
    source = f"""
        from IPython.display import display
        display({{{mime!r}: 'bmV3', 'text/plain': 'same'}}, raw=True)
    """
    validate(ran(source, shown(**{kind: "b2xk", "text_plain": "same"}))).assert_outcomes(passed=1)


def test_plain_text_beside_them_is_compared(validate):
    source = """
        from IPython.display import display
        display({'text/latex': 'x', 'text/plain': 'new'}, raw=True)
    """
    cell = ran(source, shown(text_latex="x", text_plain="old"))
    validate(cell).assert_outcomes(failed=1)


def test_stderr_is_not_compared(validate):
    source = "import sys\nprint('new', file=sys.stderr)"
    validate(ran(source, printed("old\n", "stderr"))).assert_outcomes(passed=1)
    validate(ran("pass", printed("old\n", "stderr"))).assert_outcomes(passed=1)


def test_a_warning_in_a_kernel_is_an_error(validate):
    result = validate(ran("import warnings\nwarnings.warn('careful', DeprecationWarning)"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["FAILED *DeprecationWarning: careful*"])


@pytest.mark.parametrize(
    ("source", "tags"),
    [
        ("print(1)", ["nbval-skip"]),
        ("print(1)", ["nbval-ignore-output"]),
        ("# NBVAL_SKIP\nprint(1)", []),
        ("# NBVAL_IGNORE_OUTPUT\nprint(1)", []),
    ],
)
def test_nbval_cannot_be_switched_off(validate, source, tags):
    validate(ran(source, printed("2\n"), tags=tags)).assert_outcomes(failed=1)


def test_a_dead_kernel_fails_at_once_and_is_named(validate):
    started = time.monotonic()
    result = validate(
        ran("import os\nos._exit(3)"), ran("x = 1", count=2), options=["--durations=0"]
    )
    result.assert_outcomes(failed=1, skipped=1)
    result.stdout.fnmatch_lines(["FAILED *kernel died*"])
    assert time.monotonic() - started < 60


def test_a_cell_that_takes_too_long_fails(validate):
    result = validate(
        ran("import time\ntime.sleep(60)"),
        ran("x = 1", count=2),
        options=["--nbval-cell-timeout=1"],
    )
    result.assert_outcomes(failed=1, skipped=1)
    result.stdout.fnmatch_lines(["*Timeout of 1 seconds exceeded*"])


def test_the_timeout_is_at_most_300_seconds(validate, pytester):
    pytester.makepyfile(
        "def test_it(pytestconfig): assert pytestconfig.option.nbval_cell_timeout == 300"
    )
    validate(options=["--nbval-cell-timeout=2000"]).assert_outcomes(passed=1)
    validate().assert_outcomes(passed=1)


def test_hash_seed_and_width_are_those_of_the_build(validate, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    monkeypatch.setenv("COLUMNS", "33")
    source = """
        import os, shutil, sys
        print(os.environ['PYTHONHASHSEED'], shutil.get_terminal_size().columns)
    """
    validate(ran(source, printed("0 100\n"))).assert_outcomes(passed=1)


def test_the_kernel_is_the_interpreter_that_runs_the_tests(validate, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    source = f"import sys\nprint(sys.executable == {sys.executable!r})"
    validate(ran(source, printed("True\n"))).assert_outcomes(passed=1)


def test_start_up_files_of_a_person_have_no_say(validate, pytester, monkeypatch):
    startup = pytester.path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("print = lambda *args: None\n")
    monkeypatch.setenv("IPYTHONDIR", str(startup.parents[1]))
    validate(ran("print(1)", printed("1\n"))).assert_outcomes(passed=1)


def test_cells_of_a_notebook_cannot_be_spread_over_kernels(validate):
    cells = [ran("x = 1"), ran("print(x)", printed("1\n"), count=2)]
    validate(*cells, options=["-n2", "--dist", "loadfile"]).assert_outcomes(passed=2)
    result = validate(*cells, options=["-n2"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--dist load spreads the cells*"])
