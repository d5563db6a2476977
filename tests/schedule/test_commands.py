"""The commands as a user types them: results, files, one error for each mistake, nothing half-written."""

import json
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
import typer
from typer.testing import CliRunner

from crawlproof import laws
from crawlproof import schedule as library
from crawlproof.schedule import commands, demo, files

PAGES = """\
url,change_rate,weight,host
https://a.example/1,0.5,1,a
https://a.example/2,0.25,3,a
https://b.example/1,0.125,2,b
https://b.example/2,0.0625,0.25,b
"""
LAW = "exponential:2s"


def run(*arguments: str | Path, code: int = 0):
    app = typer.Typer()
    commands.register(app)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def refused(*arguments: str | Path) -> str:
    """Wrong use: exit code 2, one line that says why, nothing on stdout."""
    result = run(*arguments, code=2)
    assert result.stdout == ""
    assert result.stderr.startswith("crawlproof: ")
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    return result.stderr


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    path = tmp_path / "pages.csv"
    path.write_text(PAGES)
    return path


@pytest.fixture
def plan(tmp_path: Path, pages: Path) -> Path:
    path = tmp_path / "plan.parquet"
    run("plan", pages, "--access-time", LAW, "--out", path)
    return path


def in_library(**limits):
    table = files.read_table(Path(limits.pop("path")), commands.PAGE_COLUMNS)
    return library.frequencies(
        table["change_rate"].to_numpy(), weight=table["weight"].to_numpy(), access_time=laws.Exponential(mean=2.0), **limits
    )


def test_plan_is_what_the_library_computes(pages, plan):
    expected = in_library(path=pages)
    written = pa.parquet.read_table(plan)
    assert written.column_names == ["url", "host", "change_rate", "weight", "frequency", "interval", "obsolescence", "price"]
    assert written["url"].to_pylist()[0] == "https://a.example/1"
    np.testing.assert_array_equal(written["frequency"], expected.frequency)
    np.testing.assert_array_equal(written["price"], expected.price)
    np.testing.assert_allclose(written["interval"].to_numpy(), 2.0 / expected.frequency, rtol=1e-15)
    told = json.loads(run("plan", pages, "--access-time", LAW, "--json").stdout)
    assert told["cost"] == expected.cost
    assert told["gap"] == expected.gap
    assert told["freshness"] == pytest.approx(1 - expected.cost / 6.25, rel=1e-14)
    assert told["relative_gap"] <= 1e-12


@pytest.mark.parametrize("policy", ["spaced", "randomized"])
def test_obsolescence_of_the_pages_adds_up_to_the_cost(pages, tmp_path, policy):
    out = tmp_path / "plan.parquet"
    told = json.loads(run("plan", pages, "--access-time", LAW, "--policy", policy, "--out", out, "--json").stdout)
    table = pa.parquet.read_table(out)
    total = np.sum(table["weight"].to_numpy() * table["obsolescence"].to_numpy())
    assert total == pytest.approx(told["cost"], rel=1e-13)


def test_csv_keeps_every_digit(pages, tmp_path):
    run("plan", pages, "--access-time", LAW, "--out", tmp_path / "plan.csv")
    table = files.read_table(tmp_path / "plan.csv", (commands.URL, commands.FREQUENCY))
    np.testing.assert_array_equal(table["frequency"], in_library(path=pages).frequency)


def test_units_of_time(tmp_path, pages, plan):
    """The same pages with rates per day and another law of the same meaning."""
    table = files.read_table(pages, commands.PAGE_COLUMNS)
    per_day = table.set_column(1, "change_rate", pa.array(table["change_rate"].to_numpy() * 86400))
    files.write_table(per_day, tmp_path / "days.parquet")
    run("plan", tmp_path / "days.parquet", "--access-time", "exponential:2000ms", "--per", "d", "--out", tmp_path / "again.parquet")
    again, before = (pa.parquet.read_table(path) for path in (tmp_path / "again.parquet", plan))
    np.testing.assert_allclose(again["frequency"], before["frequency"], rtol=1e-12)
    np.testing.assert_allclose(again["change_rate"], before["change_rate"], rtol=1e-15)


def test_readable_plan_says_what_matters(pages):
    output = run("plan", pages, "--access-time", LAW).stdout
    for part in ("4 pages", "43,200 accesses a day", "freshness", "certified", "https://a.example/2"):
        assert part in output


def test_demo(tmp_path):
    told = json.loads(run("plan", "--demo", "--json", "--out", tmp_path / "plan.parquet").stdout)
    assert told["pages"] == demo.PAGES
    assert 0 < told["dropped"] < demo.PAGES
    assert 0 < told["freshness"] < 1
    assert pa.parquet.read_metadata(tmp_path / "plan.parquet").num_rows == demo.PAGES


def planned(pages: Path, tmp_path: Path, *options: str):
    run("plan", pages, "--access-time", LAW, "--out", tmp_path / "limited.parquet", *options)
    return pa.parquet.read_table(tmp_path / "limited.parquet")


def test_limits_on_intervals(pages, tmp_path):
    free = planned(pages, tmp_path)["interval"].to_numpy()
    assert free.min() < 6 < 20 < free.max()
    limited = planned(pages, tmp_path, "--min-interval", "6s", "--max-interval", "20s")
    expected = in_library(path=pages, min_interval=6.0, max_interval=20.0)
    np.testing.assert_array_equal(limited["frequency"], expected.frequency)
    assert limited["interval"].to_numpy().min() >= 6 * (1 - 1e-12)
    assert limited["interval"].to_numpy().max() <= 20 * (1 + 1e-12)


def test_columns_of_limits_go_before_options(pages, tmp_path):
    lines = PAGES.splitlines()
    pages.write_text("\n".join([f"{lines[0]},min_interval", *(f"{line},{k}" for line, k in zip(lines[1:], (0, 6, 0, 0), strict=True))]))
    assert planned(pages, tmp_path, "--min-interval", "1h")["interval"][1].as_py() == pytest.approx(6, rel=1e-12)


@pytest.mark.parametrize(("options", "caps"), [
    (["--host-cap", "0.6"], (0.6, 0.6)),
    (["--host-cap", "a=0.5"], (0.5, 1.0)),
    (["--host-cap", "a=0.3", "--host-cap", "0.9"], (0.3, 0.9)),
    (["--host-cap", "a=5s"], (0.4, 1.0)),  # one access takes 2 s
])
def test_caps_for_hosts(pages, tmp_path, options, caps):
    limited = planned(pages, tmp_path, *options)
    expected = in_library(path=pages, host=np.array([0, 0, 1, 1]), host_cap=np.array(caps))
    np.testing.assert_array_equal(limited["frequency"], expected.frequency)
    assert sum(limited["frequency"].to_pylist()[:2]) <= caps[0] + 1e-12


def test_limits_that_can_not_be_met(pages):
    arguments = ("plan", pages, "--access-time", LAW)
    assert "max_interval asks for" in refused(*arguments, "--max-interval", "3s")
    assert "pages.csv, row 1: max_interval 10 is below min_interval 20" in refused(
        *arguments, "--max-interval", "10s", "--min-interval", "20s")
    assert "host 'b': max_interval asks for a share" in refused(*arguments, "--max-interval", "20s", "--host-cap", "b=0.1")
    pages.write_text(PAGES.replace(",host", ",site"))
    assert "--host-cap needs a column host" in refused(*arguments, "--host-cap", "0.9")


@pytest.mark.parametrize("extra", [[], ["--min-interval", "2s", "--max-interval", "30s", "--host-cap", "a=2500ms"]])
def test_two_robots_are_planned_as_one_of_twice_the_speed(pages, tmp_path, extra):
    run("plan", pages, "--access-time", LAW, "--robots", "2", "--out", tmp_path / "two.parquet", *extra)
    run("plan", pages, "--access-time", "exponential:1s", "--out", tmp_path / "fast.parquet", *extra)
    two, fast = (pa.parquet.read_table(tmp_path / f"{name}.parquet") for name in ("two", "fast"))
    for name in ("frequency", "interval", "obsolescence"):
        np.testing.assert_allclose(two[name].to_numpy(), fast[name].to_numpy(), rtol=1e-12)


def test_a_schedule_is_dealt_out_and_evaluated(plan, tmp_path):
    out = tmp_path / "accesses.parquet"
    run("schedule", plan, "--length", "60", "--robots", "2", "--out", out)
    written = pa.parquet.read_table(out)
    frequency = pa.parquet.read_table(plan)["frequency"].to_numpy()
    cycle = library.sequence(frequency, length=60)
    dealt = library.deal(cycle, 2, pages=4)
    np.testing.assert_array_equal(written["page"], cycle)
    np.testing.assert_array_equal(written["robot"], dealt.robot[cycle])
    told = json.loads(run("evaluate", plan, out, "--robots", "2", "--access-time", LAW, "--json").stdout)[0]
    table = pa.parquet.read_table(plan)
    exact = library.evaluate_robots(
        dealt, cycle, table["change_rate"].to_numpy(), laws.Exponential(mean=2.0), table["weight"].to_numpy())
    assert (told["cost"], told["loss"]) == (exact.cost, exact.loss)
    assert "over one fast robot" in run("evaluate", plan, out, "--robots", "2", "--access-time", LAW).stdout
    assert "robots must be at most" in refused("evaluate", plan, out, "--robots", "9", "--access-time", LAW)


def test_a_column_by_another_name(tmp_path, pages):
    pages.write_text(PAGES.replace("change_rate", "lambda"))
    assert "no column 'change_rate'" in refused("plan", pages, "--access-time", LAW)
    run("plan", pages, "--access-time", LAW, "--column", "change_rate=lambda")


@pytest.mark.parametrize(("extra", "why"), [
    (["--access-time", "expo:2s"], "unknown law 'expo'"),
    (["--access-time", "exponential:0"], "exponential:0"),
    ([], "--access-time is missing"),
    (["--access-time", LAW, "--policy", "spacey"], "spacey"),
    (["--access-time", LAW, "--per", "fortnight"], "--per not a time"),
    (["--access-time", LAW, "--min-interval", "soon"], "--min-interval not a time: 'soon'"),
    (["--access-time", LAW, "--max-interval", "0s"], "--max-interval '0s': the time must be finite and > 0"),
    (["--access-time", LAW, "--host-cap", "many"], "--host-cap 'many': not a time: 'many'"),
    (["--access-time", LAW, "--host-cap", "-0.5"], "--host-cap '-0.5': the cap must be finite and > 0"),
    (["--access-time", LAW, "--host-cap", "nobody=0.5"], "no host 'nobody'"),
    (["--access-time", LAW, "--column", "url"], "name=actual"),
    (["--access-time", LAW, "--out", "plan.txt"], "must end in .csv or .parquet"),
    (["--access-time", LAW, "--plot", "figure.gif"], "must end in .png"),
    (["--access-time", LAW, "--demo"], "--demo takes no file"),
])
def test_wrong_use_of_plan(pages, extra, why):
    assert why in refused("plan", pages, *extra)


def test_bad_pages_are_told_by_row_and_value(pages, tmp_path):
    pages.write_text(PAGES.replace("0.125", "-0.125"))
    message = refused("plan", pages, "--access-time", LAW, "--out", tmp_path / "plan.csv")
    assert "pages.csv, row 3: change_rate is -0.125" in message
    assert not (tmp_path / "plan.csv").exists()
    assert "no such file" in refused("plan", tmp_path / "none.csv", "--access-time", LAW)
    assert "give a file of pages, or --demo" in refused("plan", "--access-time", LAW)


def test_figures(pages, plan, tmp_path):
    run("plan", pages, "--access-time", LAW, "--plot", tmp_path / "plan.svg")
    drawn = (tmp_path / "plan.svg").read_text()
    assert "<svg" in drawn
    run("evaluate", plan, "--access-time", LAW, "--policy", "all", "--length", "200", "--plot", tmp_path / "ratios.png")
    assert (tmp_path / "ratios.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("policy", library.POLICIES)
def test_schedule_is_what_the_library_makes(plan, tmp_path, policy, monkeypatch):
    monkeypatch.setattr(commands, "CHUNK", 7)  # several chunks for a short schedule
    told = json.loads(run("schedule", plan, "--policy", policy, "--length", "50", "--seed", "3", "--out",
                          tmp_path / "accesses.parquet", "--json").stdout)
    frequency = pa.parquet.read_table(plan)["frequency"].to_numpy()
    expected = library.sequence(frequency, policy, length=50, seed=3)
    written = pa.parquet.read_table(tmp_path / "accesses.parquet")
    np.testing.assert_array_equal(written["page"], expected)
    assert told["accesses"] == len(expected)
    urls = pa.parquet.read_table(plan)["url"].to_pylist()
    assert written["url"].to_pylist() == [urls[page] for page in expected]


def test_evaluate_by_page_by_url_and_by_policy_agree(plan, tmp_path):
    run("schedule", plan, "--length", "60", "--out", tmp_path / "accesses.csv")
    by_page = json.loads(run("evaluate", plan, tmp_path / "accesses.csv", "--access-time", LAW, "--json").stdout)[0]
    lines = (tmp_path / "accesses.csv").read_text().splitlines()
    (tmp_path / "urls.csv").write_text("\n".join(line.split(",", 1)[1] for line in lines) + "\n")
    by_url = json.loads(run("evaluate", plan, tmp_path / "urls.csv", "--access-time", LAW, "--json").stdout)[0]
    by_policy = json.loads(
        run("evaluate", plan, "--policy", "most-overdue", "--length", "60", "--access-time", LAW, "--json").stdout)[0]
    for found in (by_page, by_url, by_policy):
        assert {**found, "schedule": ""} == {**by_page, "schedule": ""}
    table = pa.parquet.read_table(plan)
    exact = library.evaluate(
        library.sequence(table["frequency"].to_numpy(), length=60), table["change_rate"].to_numpy(),
        laws.Exponential(mean=2.0), table["weight"].to_numpy(),
    )
    assert by_page["cost"] == exact.cost
    assert by_page["ratio"] == exact.ratio >= 1
    assert "most-overdue" in run("evaluate", plan, "--policy", "most-overdue", "--length", "60", "--access-time", LAW).stdout


def test_evaluate_writes_pages_and_refuses_strange_accesses(plan, tmp_path):
    accesses = tmp_path / "accesses.csv"
    accesses.write_text("page\n0\n1\n2\n0\n")
    run("evaluate", plan, accesses, "--access-time", LAW, "--out", tmp_path / "result.csv")
    result = files.read_table(tmp_path / "result.csv", (commands.URL, commands.FREQUENCY, files.Column("obsolescence", "number")))
    assert result["frequency"].to_pylist() == [0.5, 0.25, 0.25, 0.0]
    assert result["obsolescence"].to_pylist()[3] == 1.0
    accesses.write_text("page\n0\n4\n")
    assert "row 2: page is 4, but the plan's last page is 3" in refused("evaluate", plan, accesses, "--access-time", LAW)
    accesses.write_text("url\nhttps://nowhere.example/\n")
    assert "row 1: url 'https://nowhere.example/' is not in the plan" in refused("evaluate", plan, accesses, "--access-time", LAW)
    accesses.write_text("robot\n1\n")
    assert "no column 'page'" in refused("evaluate", plan, accesses, "--access-time", LAW)
    assert "not both" in refused("evaluate", plan, accesses, "--policy", "deadline", "--access-time", LAW)
    assert "single schedule" in refused("evaluate", plan, "--policy", "all", "--access-time", LAW, "--out", tmp_path / "x.csv")


def test_wrong_use_of_schedule(plan, tmp_path):
    out = tmp_path / "accesses.csv"
    assert "unknown policy 'best'" in refused("schedule", plan, "--policy", "best", "--out", out)
    assert "length must be >= 1" in refused("schedule", plan, "--length", "0", "--out", out)
    assert not out.exists()


LOG = """\
url,time,changed
a,0,0
b,0,0
a,10,1
b,5,0
a,30,0
b,25,0
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    path.write_text(LOG)
    return path


@pytest.mark.parametrize("method", ["empirical-bayes", "cho-garcia-molina", "maximum-likelihood"])
def test_estimate_is_what_the_library_computes(log, tmp_path, method):
    told = json.loads(run("estimate", log, "--method", method, "--out", tmp_path / "rates.csv", "--json").stdout)
    expected = library.estimate_rates(
        {"page": [0, 0, 1, 1], "interval": [10.0, 20.0, 5.0, 20.0], "changed": [True, False, False, False]}, method=method)
    names = ("change_rate", "low", "high")
    table = files.read_table(tmp_path / "rates.csv", (commands.URL, *(files.Column(name, "number") for name in names)))
    assert table["url"].to_pylist() == ["a", "b"]
    for name, values in zip(names, (expected.rate, expected.low, expected.high), strict=True):
        np.testing.assert_allclose(table[name].to_numpy(), values, rtol=1e-15)
    assert (told["pages"], told["observations"], told["changes"], told["never_changed"]) == (2, 4, 1, 1)


def test_estimate_takes_dates_units_and_intervals(log, tmp_path):
    def rates(*arguments):
        run("estimate", log, *arguments, "--out", tmp_path / "rates.parquet")
        return pa.parquet.read_table(tmp_path / "rates.parquet")["change_rate"].to_numpy()

    # the prior is found to about the square root of the optimiser's tolerance
    plain = rates()
    np.testing.assert_allclose(rates("--unit", "min"), plain / 60, rtol=1e-4)
    log.write_text("url,time,changed\n" + "".join(
        f"{url},2026-01-01T00:00:{second:02d}Z,{flag}\n"
        for url, second, flag in (("a", 0, 0), ("b", 0, 0), ("a", 10, 1), ("b", 5, 0), ("a", 30, 0), ("b", 25, 0))))
    np.testing.assert_allclose(rates("--unit", "d"), plain, rtol=1e-4)
    log.write_text("url,interval,changed\na,10,1\na,20,0\nb,5,false\nb,20,false\n")
    np.testing.assert_allclose(rates(), plain, rtol=1e-4)
    np.testing.assert_allclose(rates("--unit", "h"), plain / 3600, rtol=1e-4)


def test_rates_go_straight_into_a_plan(log, tmp_path):
    run("estimate", log, "--out", tmp_path / "rates.csv")
    run("plan", tmp_path / "rates.csv", "--access-time", LAW)


def test_host_weight_and_shape_go_along(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("url,time,changed,host,weight\na,0,0,x,\na,10,1,x,3\nb,0,0,y,2\nb,5,0,y,2\n")
    run("estimate", log, "--out", tmp_path / "rates.csv")
    rates = pa.csv.read_csv(tmp_path / "rates.csv")
    assert rates["host"].to_pylist() == ["x", "y"]
    assert rates["weight"].to_pylist() == [3, 2]
    assert (rates["shape"].to_numpy() > 0).all()
    told = json.loads(run("plan", tmp_path / "rates.csv", "--rate", "12/min", "--out", tmp_path / "plan.csv", "--json").stdout)
    assert told["accesses_per_day"] == pytest.approx(12 * 1440)
    low, high = told["cost_interval"]
    assert low < told["cost"] < high
    expected = library.frequencies(
        rates["change_rate"].to_numpy(), rates["weight"].to_numpy(), shape=rates["shape"].to_numpy(),
        access_time=laws.Deterministic(5.0),
    )
    assert told["cost"] == expected.cost
    written = pa.csv.read_csv(tmp_path / "plan.csv")
    assert written["shape"].to_pylist() == rates["shape"].to_pylist()
    assert np.sum(written["obsolescence"].to_numpy() * written["weight"].to_numpy()) == pytest.approx(told["cost"], rel=1e-4)
    certain = json.loads(run("plan", tmp_path / "rates.csv", "--rate", "12/min", "--certain", "--json").stdout)
    assert certain["cost_interval"] == [certain["cost"], certain["cost"]]


def test_rate_in_the_place_of_access_time(pages):
    assert "give one of them" in refused("plan", pages, "--rate", "40/s", "--access-time", LAW)
    for text in ("40", "0/s", "x/s", "-1/s", "40/"):
        assert "--rate" in refused("plan", pages, "--rate", text)


def test_a_bad_shape_is_named_with_its_row(tmp_path):
    path = tmp_path / "rates.csv"
    path.write_text("url,change_rate,shape\na,1,1\nb,1,0\n")
    assert "row 2: shape is 0.0" in refused("plan", path, "--rate", "1/s")


def test_a_plan_that_leaves_the_robot_idle(pages, tmp_path):
    plan = planned(pages, tmp_path, "--host-cap", "0.1")
    assert sum(plan["frequency"].to_pylist()) < 0.5
    told = run("schedule", tmp_path / "limited.parquet", "--length", "100").stdout
    assert "busy for" in told


TIMES = {
    "HTTP": ("Wed, 18 Nov 2026 20:00:00 GMT", "Wed, 18 Nov 2026 20:00:10 GMT", "Wed, 18 Nov 2026 20:00:30 GMT"),
    "s": ("1795032000", "1795032010", "1795032030"),
    "ms": ("1795032000000", "1795032010000", "1795032030000"),
    "ns": ("1795032000000000000", "1795032010000000000", "1795032030000000000"),
    "ISO": ("2026-11-18T20:00:00.000000001Z", "2026-11-18T20:00:10.000000002Z", "2026-11-18T20:00:30.5Z"),
}


@pytest.mark.parametrize("form", TIMES)
def test_times_as_logs_have_them(tmp_path, form):
    first, second, third = TIMES[form]
    log = tmp_path / "log.csv"
    log.write_text(f'url,time,changed\na,"{first}",\na,"{second}",1\na,"{third}",0\n')
    run("estimate", log, "--out", tmp_path / "rates.csv", "--method", "cho-garcia-molina")
    found = pa.csv.read_csv(tmp_path / "rates.csv")["change_rate"][0].as_py()
    expected = library.estimate_rates({"page": [0, 0], "interval": [10.0, 20.0], "changed": [1, 0]}, method="cho-garcia-molina")
    assert found == pytest.approx(expected.rate[0], rel=0.05 if form == "ISO" else 1e-9)


def test_logs_are_cleaned_and_the_cleaning_is_told(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(
        "url,time,changed\na,0,\na,10,1\na,10,1\n,5,1\nb,null,0\nb,0,0\nb,7,-\nb,9,0\n"
    )
    told = run("estimate", log).stdout.replace("\n", " ")
    for part in ("1 rows without url", "1 rows without time", "1 repeated rows", "1 accesses that"):
        assert part in told
    assert "missing" in refused("estimate", log, "--strict")
    summary = json.loads(run("estimate", log, "--json").stdout)
    assert summary["observations"] == 2
    assert sum(summary["cleaned"].values()) == 4


def test_bad_logs(log):
    log.write_text(LOG.replace("b,25,0", "b,25,perhaps"))
    assert "row 6: changed is 'perhaps'" in refused("estimate", log)
    log.write_text(LOG.replace("b,25", "b,5"))
    assert "row 6: time repeats the time of another access" in refused("estimate", log, "--strict")
    log.write_text("url,changed\na,1\n")
    assert "no column 'time' and no column 'interval'" in refused("estimate", log)
    log.write_text(LOG)
    assert "unknown method 'guess'" in refused("estimate", log, "--method", "guess")
    assert "confidence must be between 0 and 1" in refused("estimate", log, "--confidence", "95")


def test_simulate_is_what_the_library_measures(plan, tmp_path):
    arguments = ("simulate", plan, "--access-time", LAW, "--length", "500", "--replications", "4", "--seed", "5")
    told = json.loads(run(*arguments, "--json", "--out", tmp_path / "pages.csv").stdout)
    table = pa.parquet.read_table(plan)
    expected = library.simulate(
        "most-overdue", change_rate=table["change_rate"].to_numpy(), access_time=laws.Exponential(mean=2.0),
        frequency=table["frequency"].to_numpy(), weight=table["weight"].to_numpy(), accesses=500, replications=4, seed=5,
    )
    assert (told["cost"], told["half_width"]) == (expected.cost, expected.cost_half_width)
    assert "±" in run(*arguments).stdout
    written = files.read_table(tmp_path / "pages.csv", (commands.URL, files.Column("obsolescence", "number")))
    np.testing.assert_array_equal(written["obsolescence"], expected.obsolescence)


def test_simulate_a_given_cycle(plan, tmp_path):
    (tmp_path / "accesses.csv").write_text("page\n0\n1\n2\n1\n3\n")
    exact = json.loads(run("evaluate", plan, tmp_path / "accesses.csv", "--access-time", LAW, "--json").stdout)[0]
    told = json.loads(run("simulate", plan, tmp_path / "accesses.csv", "--access-time", LAW, "--length", "20000",
                          "--confidence", "0.9999", "--json").stdout)
    assert abs(told["cost"] - exact["cost"]) <= told["half_width"]
    assert "replications must be >= 2" in refused("simulate", plan, "--access-time", LAW, "--replications", "1")


def test_help_has_examples():
    for command in ("plan", "schedule", "evaluate", "estimate", "simulate"):
        output = run(command, "--help").output
        assert f"$ crawlproof {command}" in output


def test_nothing_is_written_when_the_work_fails(plan, tmp_path, monkeypatch):
    def broken(*arguments, **options):
        yield np.zeros(5, dtype=np.int32)
        raise MemoryError

    monkeypatch.setattr(library, "stream", broken)
    run("schedule", plan, "--length", "50", "--out", tmp_path / "accesses.parquet", code=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pages.csv", "plan.parquet"]


@pytest.mark.parametrize("policy", ["spaced", "randomized"])
def test_a_page_that_hardly_ever_changes(tmp_path, policy):
    path = tmp_path / "pages.csv"
    path.write_text("url,change_rate\na,1e-320\nb,1\nc,0\n")
    run("plan", path, "--access-time", LAW, "--policy", policy, "--out", tmp_path / "plan.parquet")
    table = pa.parquet.read_table(tmp_path / "plan.parquet")
    assert table["interval"].to_pylist() == [None, 2.0, None]
    assert table["obsolescence"].to_pylist()[::2] == [1.0, 0.0]


def test_interval_of_a_dropped_page_is_absent(pages, tmp_path):
    pages.write_text(PAGES.replace(",0.25,b", ",1e-9,b"))
    run("plan", pages, "--access-time", LAW, "--out", tmp_path / "plan.parquet")
    table = pa.parquet.read_table(tmp_path / "plan.parquet")
    assert table["frequency"].to_pylist()[3] == 0
    assert table["interval"].to_pylist()[3] is None
    assert all(math.isfinite(value) for value in table["interval"].to_pylist()[:3])
