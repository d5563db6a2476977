"""`crawlproof queue`: what it prints, what it writes, how it fails."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from crawlproof.queue import files
from crawlproof.queue.commands import app


def run(*arguments: str):
    return CliRunner().invoke(app, list(arguments))


def test_solve_as_json_has_every_measure_with_all_digits():
    result = run("solve", "section7", "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    model = files.load("section7")
    measures = model.queue.solve(**model.policy)
    assert found["success"] == measures.success
    assert found["level_probabilities"] == list(measures.level_probabilities)
    assert found["cost"] == measures.cost(model.costs)
    assert found["active"] == [3, 3, 3, 1, 1, 1]


def test_solve_for_people():
    result = run("solve", "section7", "--modes", "4,2,1", "--thresholds", "1,2")
    assert result.exit_code == 0
    assert "robots with 0 … 5 pages: 4, 4, 2, 1, 1, 1" in result.stdout
    assert "73.69042491" in result.stdout


def test_solve_where_no_page_waits():
    result = run("solve", "section7", "--capacity", "1", "--modes", "3", "--json")
    assert json.loads(result.stdout)["sojourn_obsolete"] is None
    assert "obsolete pages  –" in run("solve", "section7", "--capacity", "1", "--modes", "3").stdout


def test_optimise():
    found = json.loads(run("optimise", "section7", "--json").stdout)
    assert (found["modes"], found["thresholds"]) == ([3, 1], [2])
    assert len(found["table"]) == 15
    assert "best: modes 3, 1, thresholds 2, cost 63.54254769" in run("optimise", "section7").stdout
    only = json.loads(run("optimise", "section7", "--modes", "4,1", "--capacity", "3", "--json").stdout)
    assert [row["modes"] for row in only["table"]] == [[4, 1]]


@pytest.mark.parametrize("command", ["solve", "optimise"])
def test_plot(tmp_path, command):
    target = tmp_path / "figure.png"
    assert run(command, "section7", "--plot", str(target)).exit_code == 0
    assert target.read_bytes().startswith(b"\x89PNG")
    assert [item.name for item in tmp_path.iterdir()] == ["figure.png"]


def test_policies_that_see_phases(tmp_path):
    found = json.loads(run("optimise", "section7", "--sees", "phase", "--json").stdout)
    assert found["active"] == [[1, 3], [1, 3], [1, 3], [1, 1], [1, 1], [1, 1]]
    assert round(100 * found["thresholds_lose"], 2) == 17.85
    for_people = run("optimise", "section7", "--sees", "state", "--plot", str(tmp_path / "policy.png"))
    assert "the best thresholds cost 17.85% more" in for_people.stdout
    assert (tmp_path / "policy.png").read_bytes().startswith(b"\x89PNG")


def test_sojourn(tmp_path):
    found = json.loads(run("sojourn", "section7", "--quantiles", "0.5", "--times", "1,2", "--json").stdout)
    model = files.load("section7")
    law = model.queue.solve(**model.policy).sojourn_time("obsolete")
    assert found["obsolete"]["quantiles"] == {"0.5": law.quantile(0.5)}
    assert found["obsolete"]["cdf"] == {"1.0": law.cdf(1.0), "2.0": law.cdf(2.0)}
    only = run("sojourn", "section7", "--fate", "served", "--plot", str(tmp_path / "times.pdf"))
    assert "obsolete" not in only.stdout
    assert "1.52558980743" in only.stdout
    assert (tmp_path / "times.pdf").read_bytes().startswith(b"%PDF")
    alone = run("sojourn", "section7", "--capacity", "1", "--modes", "3", "--json")
    assert json.loads(alone.stdout)["obsolete"] == {"probability": 0.0}


def test_burst(tmp_path):
    found = json.loads(run("burst", "section7", "4", "--until", "5", "--points", "2", "--json",
                           "--plot", str(tmp_path / "loss.svg")).stdout)
    model = files.load("section7")
    expected = model.queue.after_burst(4, [0, 5], **model.policy)
    assert found["level_probabilities"] == expected.level_probabilities.tolist()
    assert found["loss"] == expected.loss.tolist()
    assert (tmp_path / "loss.svg").exists()
    assert "pages found no place" in run("burst", "section7", "10").stdout


def test_sensitivities():
    found = json.loads(run("sensitivities", "section7", "--json").stdout)
    assert found["costs"]["robot"] == pytest.approx(1.75197746136, rel=1e-11)
    assert found["speeds"]["arrivals"][1] == 0
    assert "48.8386350113" in run("sensitivities", "section7").stdout


def test_fit_gives_a_table_for_a_model(tmp_path):
    stamps = tmp_path / "stamps.txt"
    stamps.write_text("0\n1\n1\n4\n9\n", "utf-8")
    result = run("fit", str(stamps), "--phases", "1")
    assert "# log-likelihood" in result.stdout
    text = files.shipped()["section7"]
    model = tmp_path / "fitted.toml"
    model.write_text('capacity = 3\nobsolescence = "never"\n' + result.stdout + text[text.index("[service]"):text.index(
        "[obsolescence]")], "utf-8")
    assert json.loads(run("solve", str(model), "--modes", "1", "--json").stdout)["sojourn_obsolete"] is None


def test_files_with_stopped_robots(tmp_path):
    text = files.shipped()["section7"]
    path = tmp_path / "stopped.toml"
    path.write_text(text.replace("capacity = 5", "capacity = 5\nrobots = [1, 2, 3, 4, 0]").replace(
        "[service]", "[[arrivals]]\nD0 = [[0, 0], [0, 0]]\n[service]"), "utf-8")
    found = json.loads(run("solve", str(path), "--modes", "3,0", "--thresholds", "2", "--json").stdout)
    assert found["active"] == [3, 3, 3, 0, 0, 0]


def test_examples_can_be_copied(tmp_path):
    assert all(name in run("examples").stdout for name in files.shipped())
    copy = tmp_path / "copy.toml"
    copy.write_text(run("examples", "--show", "section7").stdout, "utf-8")
    assert run("solve", str(copy), "--json").exit_code == 0


@pytest.mark.parametrize(("arguments", "message"), [
    (("solve", "nowhere"), "nowhere: no such file"),
    (("solve", "section7", "--modes", "3,1", "--thresholds", "7"), "thresholds, entry 1, is 7"),
    (("solve", "section7", "--modes", "3;1"), "--modes is '3;1'"),
    (("solve", "section7", "--active", "3,3"), "active is [3, 3]"),
    (("solve", "section7", "--method", "guess"), "method is 'guess'"),
    (("solve", "section7", "--capacity", "0"), "capacity is 0"),
    (("solve", "section7", "--service-speed", "x"), "speed is 'x'"),
    (("solve", "section7", "--plot", "levels.txt"), "its ending must be one of"),
    (("solve", "section7", "--plot", "no/such/place.png"), "there is no directory no/such"),
    (("optimise", "section7", "--modes", "5"), "modes, entry 1, is 5"),
    (("optimise", "section7", "--sees", "all"), "sees is 'all'; there are level, phase, state"),
    (("sojourn", "section7", "--fate", "lost"), "fate is 'lost'; there are served, obsolete"),
    (("sojourn", "section7", "--quantiles", "1.5"), "p is 1.5; it must be above 0 and below 1"),
    (("sojourn", "section7", "--quantiles", "half"), "--quantiles is 'half'; it must be numbers"),
    (("sojourn", "section7", "--times=-1"), "t is -1.0; it must be a finite number, not negative"),
    (("burst", "section7", "3", "--until", "0"), "--until is 0.0; it must be positive"),
    (("burst", "section7", "3", "--start", "full"), "start is 'full'"),
    (("fit", "no-such-file.txt"), "No such file"),
    (("examples", "--show", "nothing"), "there is no shipped model 'nothing'"),
])
def test_wrong_input_is_one_line_and_exit_code_2(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_files_without_costs_or_policy(tmp_path):
    path = tmp_path / "bare.toml"
    text = files.shipped()["section7"]
    path.write_text(text[:text.index("[costs]")], "utf-8")
    assert "has no [policy]" in run("solve", str(path)).stderr
    result = run("optimise", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "has no [costs]" in result.stderr
    assert "cost" not in json.loads(run("solve", str(path), "--modes", "3", "--json").stdout)


@pytest.mark.parametrize("command", ["solve", "optimise", "sojourn", "burst", "sensitivities", "fit", "examples"])
def test_help_has_examples(command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"crawlproof queue {command}" in result.stdout


def test_the_solver_needs_no_computer_algebra():
    code = ("import sys, crawlproof.queue.commands, crawlproof.queue.matrix_free, crawlproof.queue.sparse; "
            "sys.exit(' '.join({'sympy', 'mpmath', 'flint'} & set(sys.modules)) or 0)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
