"""The commands plan, schedule, evaluate, estimate and simulate.

Exit codes: 0 fine, 1 a certificate is not as tight as promised, 2 wrong use or bad input.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import typer
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from crawlproof import laws
from crawlproof.laws import Law
from crawlproof.laws.text import duration
from crawlproof.schedule import files
from crawlproof.schedule.files import Column
from crawlproof.schedule.inputs import SUM_TOLERANCE
from crawlproof.terminal import console, example, fail, problems

DAY = 86_400.0
CHUNK = 2**20
"""Accesses of a schedule that are made and written at once."""
SHOWN = 8
"""Pages in the table that plan prints."""
LEAST = 1e-300
"""A page that is accessed less often counts as never accessed: its interval would be no finite number."""
CERTIFIED = 1e-12
"""The relative gap that a plan promises."""

URL = Column("url", "text", unique=True)
CHANGE_RATE = Column("change_rate", "number")
SHAPE = Column("shape", "number", required=False, above_zero=True)
WEIGHT = Column("weight", "number", required=False)
HOST = Column("host", "text", required=False)
MIN_INTERVAL = Column("min_interval", "number", required=False)
MAX_INTERVAL = Column("max_interval", "number", required=False, above_zero=True)
FREQUENCY = Column("frequency", "number")
PAGE_COLUMNS = (URL, CHANGE_RATE, SHAPE, WEIGHT, HOST, MIN_INTERVAL, MAX_INTERVAL)

PagesArgument = Annotated[Path, typer.Argument(metavar="PLAN", help="CSV or Parquet as written by 'crawlproof plan'.")]
AccessTimeOption = Annotated[
    str, typer.Option("--access-time", metavar="LAW", help="Law of the time that one access takes, such as exponential:2s.")
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option("--column", metavar="NAME=ACTUAL", help="A column that has another name in the file; may be repeated."),
]
PerOption = Annotated[
    str, typer.Option("--per", metavar="TIME", help="Unit of change_rate in the file: changes per s, min, h, d or such as 7d.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
SeedOption = Annotated[int, typer.Option(help="For policies that draw: the same seed gives the same accesses.")]
LengthOption = Annotated[int, typer.Option(help="Accesses; some policies round it up to what their cycle needs.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    for command, epilog in (
        (plan, example(
            "crawlproof plan --demo --plot demo.png",
            "crawlproof plan rates.parquet --rate 40/s --out plan.parquet",
            "crawlproof plan pages.csv --access-time exponential:2s --out plan.parquet",
            "crawlproof plan pages.csv --access-time deterministic:250ms --per d --host-cap 10s --max-interval 30d --out plan.csv",
        )),
        (schedule, example(
            "crawlproof schedule plan.parquet --length 1000000 --out accesses.parquet",
            "crawlproof schedule plan.parquet --policy golden-ratio --length 1000000 --out accesses.csv",
        )),
        (evaluate, example(
            "crawlproof evaluate plan.parquet accesses.parquet --access-time exponential:2s",
            "crawlproof evaluate plan.parquet --policy most-overdue --policy randomized --access-time exponential:2s --plot ratios.png",
        )),
        (estimate, example(
            "crawlproof estimate log.csv --out rates.csv",
            "crawlproof estimate log.parquet --column time=fetched_at --out rates.parquet",
        )),
        (simulate, example(
            "crawlproof simulate plan.parquet --access-time exponential:2s --policy most-overdue",
        )),
    ):
        app.command(epilog=epilog)(command)


def plan(
    pages: Annotated[Path | None, typer.Argument(metavar="PAGES", help="CSV or Parquet: url, change_rate; optional shape, weight, host, min_interval, max_interval.")] = None,
    access_time: Annotated[str | None, typer.Option("--access-time", metavar="LAW", help="Law of the time that one access takes, such as exponential:2s.")] = None,
    pace: Annotated[str | None, typer.Option("--rate", metavar="N/TIME", help="Accesses that may be spent, such as 40/s or 100000/d, in the place of --access-time.")] = None,
    certain: Annotated[bool, typer.Option("--certain", help="Take change rates for known, whatever the column shape says.")] = False,
    policy: Annotated[str, typer.Option(help="What the frequencies are optimal for: spaced or randomized.")] = "spaced",
    host_cap: Annotated[list[str] | None, typer.Option("--host-cap", metavar="[HOST=]CAP", help="Most that a host gets: a share of all accesses (0.01) or one access per time (10s). Without HOST: for every host.")] = None,
    min_interval: Annotated[str | None, typer.Option(metavar="TIME", help="No page more often than this (a column min_interval, in seconds, goes first).")] = None,
    max_interval: Annotated[str | None, typer.Option(metavar="TIME", help="Every page at least this often (a column max_interval, in seconds, goes first).")] = None,
    robots: Annotated[int, typer.Option(min=1, help="Plan for so many robots, as for one that is so many times as fast.")] = 1,
    per: PerOption = "s",
    column: ColumnOption = None,
    out: Annotated[Path | None, typer.Option(metavar="PLAN", help="Write the plan: CSV or Parquet, by the name.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FIGURE", help="Draw freshness against bandwidth and frequency against rate (.png, .svg, .pdf).")] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Plan for 100,000 made-up pages that ship with crawlproof.")] = False,
    as_json: JsonOption = False,
) -> None:
    """How often to access each page: the optimal frequencies, with a certificate.

    Change rates and weights go in; each page's share of the accesses comes out, with its interval and its price.
    """
    with _one_error():
        from crawlproof import schedule as library
        from crawlproof.schedule import demo as shipped
        from crawlproof.schedule import plots

        if demo == (pages is not None):
            raise ValueError("give a file of pages, or --demo" if pages is None else "--demo takes no file of pages")
        if access_time is not None and pace is not None:
            raise ValueError("--access-time and --rate say the same thing twice: give one of them")
        if access_time is None and pace is None and not demo:
            raise ValueError("--access-time is missing; write for example --access-time exponential:2s, or --rate 40/s")
        law = _faster(_paced(pace) if pace is not None else _law(access_time or shipped.ACCESS_TIME), robots)
        _writable(out, plot)
        unit = _unit(per)
        mapping = files.parse_mapping(column or [], [c.name for c in PAGE_COLUMNS])
        with _progress("reading"):
            table = files.read_table(shipped.demo_path() if demo else pages, PAGE_COLUMNS, mapping)
        rate = table["change_rate"].to_numpy() / unit
        weight = table["weight"].to_numpy() if "weight" in table.column_names else None
        shape = table["shape"].to_numpy() if "shape" in table.column_names and not certain else None
        limits, hosts = _limits(table, law.mean, host_cap or [], min_interval, max_interval)
        with _progress("solving"), _rows_of(pages, hosts):
            found = library.frequencies(rate, weight=weight, access_time=law, shape=shape, policy=policy, **limits)
        result = _plan_table(table, rate, shape, law, found)
        if out is not None:
            files.write_table(result, out)
        if plot is not None:
            speeds = np.geomspace(1 / 16, 16, 17)
            curves = _freshness_curves(rate, weight, law, speeds)
            a_day = DAY / law.mean
            plots.save(plot, [
                lambda axes: plots.freshness_against_bandwidth(axes, speeds * a_day, curves, a_day),
                lambda axes: plots.frequency_against_rate(axes, rate * DAY, found.frequency * a_day),
            ])
        summary = _plan_summary(found, rate, weight, law)
        if as_json:
            _print_json(summary)
        else:
            if demo:
                console().print("demo: made-up pages, told about in crawlproof.schedule.demo", highlight=False)
            _tell_plan(summary, result, out, plot)
    if summary["relative_gap"] > CERTIFIED:
        raise fail(f"the certified gap is {summary['relative_gap']:.1e} of the cost, above {CERTIFIED:.0e}")


def schedule(
    plan: PagesArgument,
    policy: Annotated[str, typer.Option(help="most-overdue, golden-ratio, random-phase, deadline, tijdeman, randomized, round-robin or powers-of-two.")] = "most-overdue",
    length: LengthOption = 1_000_000,
    seed: SeedOption = 0,
    robots: Annotated[int, typer.Option(min=1, help="Deal the accesses out, each page to one robot: a column robot, from 0.")] = 1,
    column: ColumnOption = None,
    out: Annotated[Path | None, typer.Option(metavar="ACCESSES", help="Write the accesses in order: page (row of the plan, from 0) and url.")] = None,
    as_json: JsonOption = False,
) -> None:
    """In which order to access the pages: one cycle of a schedule with the plan's frequencies."""
    with _one_error():
        from crawlproof import schedule as library

        _writable(out)
        mapping = files.parse_mapping(column or [], ["url", "frequency"])
        with _progress("reading"):
            table = files.read_table(plan, (URL, FREQUENCY), mapping)
        frequency, busy = _busy(table)
        urls = files.in_one_piece(table["url"])
        chunks = library.stream(frequency, policy, length=length, seed=seed, chunk=CHUNK)
        schema = pa.schema({"page": pa.int32(), "url": urls.type})
        dealt = None
        if robots > 1:
            # Who gets which page depends on all accesses: the only case that holds the schedule.
            accesses = library.sequence(frequency, policy, length=length, seed=seed)
            dealt = library.deal(accesses, robots, pages=len(frequency))
            chunks = np.split(accesses, range(CHUNK, len(accesses), CHUNK))
            schema = schema.append(pa.field("robot", pa.int32()))
        counts = np.zeros(len(frequency), dtype=np.int64)
        start: list[int] = []

        with _progress("scheduling", length) as advance:
            def tables() -> Iterator[pa.Table]:
                for accesses in chunks:
                    counts[:] += np.bincount(accesses, minlength=len(counts))
                    if len(start) < SHOWN:
                        start.extend(accesses[:SHOWN].tolist())
                    advance(len(accesses))
                    columns = [pa.array(accesses), urls.take(pa.array(accesses))]
                    if dealt is not None:
                        columns.append(pa.array(dealt.robot[accesses].astype(np.int32)))
                    yield pa.table(columns, schema=schema)

            if out is not None:
                files.write_batches(schema, tables, out)
            else:
                for _ in tables():
                    pass
        made = int(counts.sum())
        summary = {
            "policy": policy, "accesses": made, "pages": len(counts), "pages_accessed": int((counts > 0).sum()),
            "largest_deviation_of_a_count": float(np.abs(counts - frequency * made).max()),
            "robots": robots, "imbalance": 1.0 if dealt is None else dealt.imbalance, "busy": busy,
        }
        if as_json:
            _print_json(summary)
        else:
            console().print(
                f"{policy}: {made:,} accesses to {summary['pages_accessed']:,} of {len(counts):,} pages;"
                f" no page's count is more than {summary['largest_deviation_of_a_count']:.3g} from its share", highlight=False)
            if busy < 1:
                console().print(f"the plan keeps a robot busy for {busy:.2%} of its time; the accesses are those of that time", highlight=False)
            if dealt is not None:
                console().print(f"{robots} robots; the busiest has {dealt.imbalance:.6f} times its fair share", highlight=False)
            console().print("starts with " + ", ".join(urls[page].as_py() for page in start[:3]) + ", ...", markup=False, highlight=False)
            _tell_written(out)


def evaluate(
    plan: PagesArgument,
    access_time: AccessTimeOption,
    accesses: Annotated[Path | None, typer.Argument(metavar="ACCESSES", help="One cycle of accesses: column page (row of the plan, from 0) or url.")] = None,
    policy: Annotated[list[str] | None, typer.Option(help="Evaluate this policy with the plan's frequencies; may be repeated; 'all' for every policy.")] = None,
    length: LengthOption = 1_000_000,
    seed: SeedOption = 0,
    robots: Annotated[int, typer.Option(min=1, help="Deal each schedule out to so many robots, each page to one of them.")] = 1,
    per: PerOption = "s",
    column: ColumnOption = None,
    out: Annotated[Path | None, typer.Option(metavar="RESULT", help="Write each page's obsolescence (only for a single schedule).")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FIGURE", help="Draw the ratio of policies (.png, .svg, .pdf).")] = None,
    as_json: JsonOption = False,
) -> None:
    """What a schedule costs when it is repeated for ever: exact, next to the lower bound and the guarantee."""
    with _one_error():
        from crawlproof import schedule as library
        from crawlproof.schedule import plots

        if (accesses is None) == (not policy):
            raise ValueError("give a file of accesses, or --policy (may be repeated), not both")
        _writable(out, plot)
        law, unit = _law(access_time), _unit(per)
        known = (URL, CHANGE_RATE, WEIGHT, *(() if accesses else (FREQUENCY,)))
        mapping = files.parse_mapping(column or [], [c.name for c in known])
        with _progress("reading"):
            table = files.read_table(plan, known, mapping)
        rate = table["change_rate"].to_numpy() / unit
        weight = table["weight"].to_numpy() if "weight" in table.column_names else None
        if accesses is None:
            frequency, busy = _busy(table)
            law = _faster(law, busy)
        if accesses is not None:
            names: Sequence[str] = [accesses.name]
        else:
            names = library.POLICIES if "all" in policy else list(dict.fromkeys(policy))
        if out is not None and len(names) > 1:
            raise ValueError(f"--out is for a single schedule, not for {len(names)}")
        results = {}
        with _progress("evaluating", len(names)) as advance:
            for name in names:
                if accesses is not None:
                    cycle = _read_accesses(accesses, table["url"])
                else:
                    cycle = library.sequence(frequency, name, length=length, seed=seed)
                counts = np.bincount(cycle, minlength=len(rate))
                if robots == 1:
                    found = library.evaluate(cycle, rate, law, weight, allow_missing=True)
                else:
                    dealt = library.deal(cycle, robots, pages=len(rate))
                    found = library.evaluate_robots(dealt, cycle, rate, law, weight, allow_missing=True)
                results[name] = found, counts
                advance(1)
        total = float(np.sum(rate if weight is None else weight))
        rows = [_evaluation_summary(name, found, counts, total) for name, (found, counts) in results.items()]
        if out is not None:
            (found, counts), = results.values()
            files.write_table(pa.table({
                "url": table["url"], "frequency": counts / counts.sum(), "obsolescence": found.obsolescence,
            }), out)
        if plot is not None:
            plots.save(plot, [lambda axes: plots.ratio_of_policies(axes, {row["schedule"]: row["ratio"] for row in rows})])
        if as_json:
            _print_json(rows)
        else:
            _tell_evaluations(rows)
            if accesses is None and any(
                row["never_accessed"] > np.count_nonzero(table["frequency"].to_numpy() == 0) for row in rows
            ):
                console().print("Pages that the plan accesses did not come up: a larger --length does them justice.")
            _tell_written(out, plot)


def estimate(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="CSV or Parquet, one row for each access: url, changed (since the access before), and time or interval; optional last_modified, host, section, weight.")],
    method: Annotated[str, typer.Option(help="empirical-bayes (learns from all pages what to think of each), cho-garcia-molina or maximum-likelihood (each page alone).")] = "empirical-bayes",
    confidence: Annotated[float, typer.Option(help="Of the intervals low to high.")] = 0.95,
    unit: Annotated[str, typer.Option(metavar="TIME", help="Unit of the numbers in time or interval: s, min, h, d. Dates need none, nor do epochs in ms or ns.")] = "s",
    window: Annotated[str | None, typer.Option(metavar="TIME", help="Only what was found within this time before the last access, such as 90d.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse a log with missing values or repeated rows, where they would else be left out and counted.")] = False,
    column: ColumnOption = None,
    out: Annotated[Path | None, typer.Option(metavar="RATES", help="Write url, host and weight if there, change_rate (per second), shape (how much is known), low, high, observations, changes: a file for 'crawlproof plan'.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Change rates out of a crawl log, and how much is known about each; accesses may be irregular."""
    with _one_error():
        from crawlproof import schedule as library
        from crawlproof.schedule import cleaning

        _writable(out)
        seconds = _unit(unit, "--unit")
        mapping = files.parse_mapping(column or [], [c.name for c in cleaning.columns(seconds)])
        with _progress("reading"):
            cleaned = cleaning.read_log(log, mapping, seconds, strict=strict)
        table = cleaned.table
        known = "time" if "time" in table.column_names and "interval" not in table.column_names else "interval"
        # Times are seconds by now, as they may have been dates.
        scale = seconds if known == "interval" else 1.0
        page, urls = files.encode(table["url"])
        columns = {"page": page, "changed": table["changed"].to_numpy(), known: table[known].to_numpy() * scale}
        if known == "time" and "last_modified" in table.column_names:
            columns["last_modified"] = table["last_modified"].to_numpy()
        for name in ("host", "section"):
            if name in table.column_names:
                columns[name], _ = files.encode(table[name].fill_null(""))
        with _progress("estimating"), _rows_of(log):
            found = library.estimate_rates(
                columns, method=method, confidence=confidence,
                window=None if window is None else _time(window, "--window"),
            )
        if out is not None:
            files.write_table(_rates_table(table, page, urls, found), out)
        middle = float(np.median(found.rate))
        summary = {
            "method": method, "pages": len(urls), "accesses": table.num_rows, "observations": int(found.observations.sum()),
            "changes": int(found.changes.sum()), "never_changed": int(np.count_nonzero(found.changes == 0)),
            "always_changed": int(np.count_nonzero((found.changes == found.observations) & (found.changes > 0))),
            "median_changes_per_day": middle * DAY if math.isfinite(middle) else None,
            "cleaned": {what: count for what, count in cleaned.mended.items() if count},
        }
        if as_json:
            _print_json(summary)
        else:
            console().print(
                f"{summary['pages']:,} pages, {summary['observations']:,} intervals between accesses, after"
                f" {summary['changes']:,} of them a change", highlight=False)
            console().print(
                f"{summary['never_changed']:,} pages never changed, {summary['always_changed']:,} always;"
                f" median {middle * DAY:.4g} changes a day", highlight=False)
            if cleaned.report:
                console().print(f"cleaned: {cleaned.report} (--strict refuses them)", highlight=False)
            _tell_written(out)


def _rates_table(table: pa.Table, page: np.ndarray, urls: pa.Array, found: Any) -> pa.Table:
    """What estimate writes; of the columns that go on to the plan, each page's first value."""
    columns: dict[str, Any] = {"url": urls}
    for name in ("host", "weight"):
        if name in table.column_names:
            values = table[name]
            there = np.flatnonzero(~np.isnan(values.to_numpy())) if name == "weight" else np.flatnonzero(pc.is_valid(values).to_numpy())
            row = np.full(len(urls), -1)
            row[page[there[::-1]]] = there[::-1]  # the last write wins: the first of each page
            columns[name] = values.take(pa.array(np.maximum(row, 0), mask=row < 0))
    columns["change_rate"] = found.rate
    if np.isfinite(found.shape).all():
        columns["shape"] = found.shape
    return pa.table({
        **columns, "low": found.low, "high": found.high, "observations": found.observations, "changes": found.changes,
    })


def simulate(
    plan: PagesArgument,
    access_time: AccessTimeOption,
    accesses: Annotated[Path | None, typer.Argument(metavar="ACCESSES", help="One cycle of accesses, repeated for ever: column page or url.")] = None,
    policy: Annotated[str, typer.Option(help="A policy with the plan's frequencies, where no accesses are given.")] = "most-overdue",
    length: Annotated[int | None, typer.Option(help="Accesses of one replication, ten for each page if not given; a quarter more to warm up.")] = None,
    replications: Annotated[int, typer.Option(help="Independent runs, from which the intervals are computed.")] = 16,
    confidence: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    seed: SeedOption = 0,
    per: PerOption = "s",
    column: ColumnOption = None,
    out: Annotated[Path | None, typer.Option(metavar="RESULT", help="Write each page's obsolescence with the half-width of its interval.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Let pages change and a robot run, without any formula, and measure what a schedule costs."""
    with _one_error():
        from crawlproof import schedule as library

        _writable(out)
        law, unit = _law(access_time), _unit(per)
        known = (URL, CHANGE_RATE, WEIGHT, *(() if accesses else (FREQUENCY,)))
        mapping = files.parse_mapping(column or [], [c.name for c in known])
        with _progress("reading"):
            table = files.read_table(plan, known, mapping)
            rate = table["change_rate"].to_numpy() / unit
            weight = table["weight"].to_numpy() if "weight" in table.column_names else None
            cycle = None if accesses is None else _read_accesses(accesses, table["url"])
            frequency, busy = (None, 1.0) if accesses else _busy(table)
        with _progress("simulating"):
            found = library.simulate(
                policy if cycle is None else cycle, change_rate=rate, access_time=_faster(law, busy), weight=weight,
                frequency=frequency,
                accesses=10 * len(rate) if length is None else length,
                replications=replications, confidence=confidence, seed=seed,
            )
        if out is not None:
            files.write_table(pa.table({
                "url": table["url"], "obsolescence": found.obsolescence, "half_width": found.obsolescence_half_width,
            }), out)
        total = float(np.sum(rate if weight is None else weight))
        summary = {
            "schedule": policy if accesses is None else accesses.name,
            "cost": found.cost, "half_width": found.cost_half_width, "confidence": found.confidence,
            "freshness": 1 - found.cost / total if total > 0 else 1.0,
            "replications": found.replications, "accesses": found.accesses,
        }
        if as_json:
            _print_json(summary)
        else:
            console().print(
                f"{summary['schedule']}: cost {found.cost:.6g} ± {found.cost_half_width:.2g} ({found.confidence:.0%}),"
                f" freshness {summary['freshness']:.6f}; {found.replications} replications of {found.accesses:,} accesses",
                highlight=False, markup=False)
            _tell_written(out)


@contextmanager
def _rows_of(path: Path | None, hosts: Sequence[str] = ()) -> Iterator[None]:
    """The library counts pages and hosts from 0; the user has a file with rows, counted from 1, and names."""
    try:
        yield
    except ValueError as error:
        message = str(error)
        if place := re.match(r"(\w+)\[(\d+)\] ", message):
            message = f"{path}, row {int(place[2]) + 1}: {place[1]} {message[place.end():]}"
        elif place := re.match(r"page (\d+): ", message):
            message = f"{path}, row {int(place[1]) + 1}: {message[place.end():]}"
        elif place := re.match(r"host (\d+): ", message):
            message = f"host {hosts[int(place[1])]!r}: {message[place.end():]}"
        raise ValueError(message) from None


def _plan_table(table: pa.Table, rate: np.ndarray, shape: np.ndarray | None, law: Law, found: Any) -> pa.Table:
    """What plan writes; change rates per second, whatever they were read as."""
    accessed = found.frequency >= LEAST
    interval = np.full(len(rate), np.nan)
    interval[accessed] = law.mean / found.frequency[accessed]
    columns = {"url": table["url"]}
    if "host" in table.column_names:
        columns["host"] = table["host"]
    columns["change_rate"] = pa.array(rate)
    if shape is not None:
        columns["shape"] = pa.array(shape)
    if "weight" in table.column_names:
        columns["weight"] = table["weight"]
    columns["frequency"] = pa.array(found.frequency)
    # A page that is never accessed has no interval: null, as infinity is no number to most readers.
    columns["interval"] = pa.array(interval, mask=~accessed)
    columns["obsolescence"] = pa.array(_obsolescence(found, rate, shape, law))
    columns["price"] = pa.array(found.price)
    return pa.table(columns)


def _obsolescence(found: Any, rate: np.ndarray, shape: np.ndarray | None, law: Law) -> np.ndarray:
    """The share of time for which each page is out of date under the plan, as far as one can tell."""
    from crawlproof.formulas import randomized_obsolescence
    from crawlproof.schedule.evaluation import lower_bound
    from crawlproof.schedule.mixture import Posteriors

    if shape is not None:
        mean, _ = Posteriors(rate, shape, law, found.policy).stale(np.ones(len(rate)), found.frequency)
        return np.where(rate > 0, mean, 0.0)
    if found.policy == "spaced":
        return lower_bound(np.where(found.frequency < LEAST, 0.0, found.frequency), rate, law)
    result = np.where(rate > 0, 1.0, 0.0)
    some = (found.frequency >= LEAST) & (rate > 0)
    result[some] = randomized_obsolescence(found.frequency[some], rate[some], law.mean, law.log_laplace(rate[some]))
    return result


def _plan_summary(found: Any, rate: np.ndarray, weight: np.ndarray | None, law: Law) -> dict[str, Any]:
    total = float(np.sum(rate if weight is None else weight))
    return {
        "policy": found.policy,
        "pages": len(rate),
        "dropped": int(np.count_nonzero(found.frequency == 0)),
        "accesses_per_day": DAY / law.mean,
        "cost": float(found.cost),
        "cost_interval": [float(end) for end in found.interval()],
        "freshness": 1 - float(found.cost) / total if total > 0 else 1.0,
        "gap": float(found.gap),
        "relative_gap": float(found.gap) / float(found.cost) if found.cost > 0 else 0.0,
        "multiplier": float(found.multiplier),
    }


def _tell_plan(summary: Mapping[str, Any], result: pa.Table, out: Path | None, plot: Path | None) -> None:
    console().print(
        f"{_pages(summary['pages'])}, {summary['accesses_per_day']:,.6g} accesses a day, optimal {summary['policy']} frequencies",
        highlight=False)
    console().print(
        f"freshness {summary['freshness']:.6f} (share of the weight that is up to date), cost {summary['cost']:.6g},"
        f" certified to be at most {summary['gap']:.1e} above the least possible", highlight=False)
    low, high = summary["cost_interval"]
    if low < high:
        console().print(
            f"that is what to expect, as change rates are known only so well; 95 %, if the shapes are right: cost {low:.6g} to"
            f" {high:.6g}",
            highlight=False)
    if summary["dropped"]:
        console().print(
            f"{_pages(summary['dropped'])} not worth any access at this bandwidth: the first one would save less than the"
            f" multiplier, {summary['multiplier']:.6g}", highlight=False)
    most = pc.select_k_unstable(result, k=min(SHOWN, result.num_rows), sort_keys=[("frequency", "descending")])
    grid = Table(title="most often accessed", title_justify="left")
    for name in ("url", "changes/day", "weight", "every", "out of date"):
        grid.add_column(name, justify="left" if name == "url" else "right", overflow="ellipsis", no_wrap=True)
    for row in result.take(most).to_pylist():
        every = "never" if row["interval"] is None else _readable(row["interval"])
        weight = f"{row['weight']:.4g}" if "weight" in row else ""
        grid.add_row(row["url"], f"{row['change_rate'] * DAY:.4g}", weight, every, f"{row['obsolescence']:.2%}")
    console().print(grid)
    _tell_written(out, plot)


def _pages(count: int) -> str:
    return "1 page" if count == 1 else f"{count:,} pages"


def _readable(seconds: float) -> str:
    for unit, size in (("d", DAY), ("h", 3600.0), ("min", 60.0), ("s", 1.0)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def _freshness_curves(
    rate: np.ndarray, weight: np.ndarray | None, law: Law, speeds: np.ndarray
) -> dict[str, np.ndarray]:
    """Freshness at several speeds of the robot, limits on intervals and hosts apart."""
    from crawlproof import schedule as library
    from crawlproof.schedule.evaluation import lower_bound

    weights = rate if weight is None else weight
    total = float(np.sum(weights))
    curves: dict[str, list[float]] = {"spaced, optimal": [], "randomized, optimal": [], "spaced, all pages alike": []}
    if total == 0:
        raise ValueError("there is nothing to draw: all weights are 0")
    alike = np.full(len(rate), 1 / len(rate))
    with _progress("drawing", len(speeds)) as advance:
        for speed in speeds:
            faster = _Faster(law, speed)
            costs = (
                library.frequencies(rate, weight=weights, access_time=faster).cost,
                library.frequencies(rate, weight=weights, access_time=faster, policy="randomized").cost,
                float(np.sum(weights * lower_bound(alike, rate, faster))),
            )
            for curve, cost in zip(curves.values(), costs, strict=True):
                curve.append(1 - cost / total)
            advance(1)
    return {name: np.array(values) for name, values in curves.items()}


def _evaluation_summary(name: str, found: Any, counts: np.ndarray, total: float) -> dict[str, Any]:
    summary = {
        "schedule": name,
        "accesses": int(counts.sum()),
        "never_accessed": int(np.count_nonzero(counts == 0)),
        "cost": found.cost,
        "bound": found.bound,
        "ratio": found.ratio,
        "freshness": 1 - found.cost / total if total > 0 else 1.0,
    }
    if hasattr(found, "guarantee"):
        summary["guarantee"] = found.guarantee
    else:
        summary["loss"] = found.loss
    return summary


def _tell_evaluations(rows: Sequence[Mapping[str, Any]]) -> None:
    grid = Table()
    last = ("guarantee", "guaranteed ratio") if "guarantee" in rows[0] else ("loss", "over one fast robot")
    for title in ("schedule", "cost", "bound", "ratio", last[1], "freshness", "never accessed"):
        grid.add_column(title, justify="left" if title == "schedule" else "right")
    for row in rows:
        grid.add_row(
            row["schedule"], f"{row['cost']:.6g}", f"{row['bound']:.6g}", f"{row['ratio']:.6f}", f"{row[last[0]]:.6f}",
            f"{row['freshness']:.6f}", f"{row['never_accessed']:,}",
        )
    console().print(grid)


def _limits(
    table: pa.Table, pace: float, host_caps: Sequence[str], min_interval: str | None, max_interval: str | None
) -> tuple[dict[str, Any], list[str]]:
    """The constraints, as the solver takes them, and the hosts' names; ``pace`` is the mean time between accesses."""
    limits: dict[str, Any] = {}
    names: list[str] = []
    for name, option in (("min_interval", min_interval), ("max_interval", max_interval)):
        if name in table.column_names:
            limits[name] = table[name].to_numpy()
        elif option is not None:
            limits[name] = _time(option, f"--{name.replace('_', '-')}")
    if host_caps:
        if "host" not in table.column_names:
            raise ValueError("--host-cap needs a column host (name another one with --column host=...)")
        limits["host"], hosts = files.encode(table["host"])
        names = hosts.to_pylist()
        limits["host_cap"] = _host_caps(names, host_caps, pace)
    return limits, names


def _host_caps(names: Sequence[str], texts: Sequence[str], pace: float) -> np.ndarray:
    """The largest share of accesses of each host."""
    number = {name: code for code, name in enumerate(names)}
    caps = np.ones(len(names))
    # Caps for every host first, so that those of single hosts go before them in any order.
    for text in sorted(texts, key=lambda text: "=" in text):
        host, _, value = text.rpartition("=")
        cap = _share(value, pace, text)
        if not host:
            caps[:] = cap
        elif host in number:
            caps[number[host]] = cap
        else:
            raise ValueError(f"--host-cap {text!r}: there is no host {host!r} among the pages")
    return caps


def _share(text: str, pace: float, option: str) -> float:
    """A share of all accesses out of ``0.01``, or out of ``10s``: one access every ten seconds."""
    try:
        share = float(text)
    except ValueError:
        seconds = _time(text, f"--host-cap {option!r}:")
        share = pace / seconds
    if not (math.isfinite(share) and share > 0):
        raise ValueError(f"--host-cap {option!r}: the cap must be finite and > 0")
    return min(share, 1.0)


def _paced(text: str) -> Law:
    """One access after the other, as many in a time as ``40/s`` or ``100000/d`` says."""
    number, slash, unit = text.partition("/")
    try:
        count = float(number)
    except ValueError:
        count = math.nan
    if not (slash and unit and math.isfinite(count) and count > 0):
        raise ValueError(f"--rate {text!r}: write a number > 0 of accesses in a time, such as 40/s")
    return laws.Deterministic(_unit(unit, "--rate") / count)


def _busy(table: pa.Table) -> tuple[np.ndarray, float]:
    """The plan's frequencies among the accesses that are made, and for which share of its time it keeps a robot busy."""
    frequency = table["frequency"].to_numpy()
    total = float(frequency.sum())
    return (frequency / total, total) if 0 < total < 1 - SUM_TOLERANCE else (frequency, 1.0)


def _faster(law: Law, times: float) -> Law:
    return law if times == 1 else _Faster(law, times)


class _Faster(Law):
    """Access times divided by a number: of a robot that is so many times as fast."""

    def __init__(self, law: Law, times: float) -> None:
        self._law, self._times = law, times
        self.mean = law.mean / times
        self.gamma_shape = law.gamma_shape

    def _kappa(self, rate: np.ndarray) -> np.ndarray:
        return -self._law.log_laplace(rate / self._times)

    def _relative_excess(self, rate: np.ndarray) -> np.ndarray:
        return self._law.relative_excess(rate / self._times)

    def sample(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> np.ndarray:
        return self._law.sample(rng, size) / self._times


def _law(text: str) -> Law:
    return laws.parse(text)


def _time(text: str, option: str) -> float:
    try:
        seconds = duration(text)
    except ValueError as error:
        raise ValueError(f"{option} {error}") from None
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError(f"{option} {text!r}: the time must be finite and > 0")
    return seconds


def _unit(text: str, option: str = "--per") -> float:
    """Seconds in ``d`` or ``7d``."""
    return _time(text if text[:1].isdigit() else f"1{text}", option)


def _writable(out: Path | None, plot: Path | None = None) -> None:
    """Find out before the work whether its results can be written."""
    from crawlproof.schedule import plots

    if out is not None:
        files.check_output(out)
    if plot is not None:
        plots.check_place(plot)


def _read_accesses(path: Path, urls: pa.ChunkedArray) -> np.ndarray:
    """Rows of the plan, in the order of access, from a column ``page`` or ``url``."""
    table = files.read_table(path, (Column("page", "index", required=False), Column("url", "text", required=False)))
    if "page" in table.column_names:
        pages = table["page"].to_numpy()
        if (beyond := pages >= len(urls)).any():
            row = int(np.argmax(beyond))
            raise files.BadFile(f"{path}, row {row + 1}: page is {pages[row]}, but the plan's last page is {len(urls) - 1}")
        return pages
    if "url" not in table.column_names:
        raise files.BadFile(f"{path}: there is no column 'page' and no column 'url'")
    pages = pc.index_in(files.in_one_piece(table["url"]), value_set=files.in_one_piece(urls))
    if pages.null_count:
        row = pc.index(pages.is_null(), True).as_py()
        raise files.BadFile(f"{path}, row {row + 1}: url {table['url'][row].as_py()!r} is not in the plan")
    return pages.to_numpy().astype(np.int64)


@contextmanager
def _one_error() -> Iterator[None]:
    """Whatever is wrong with the input becomes one line on stderr and exit code 2."""
    try:
        yield
    except (ValueError, OverflowError) as error:
        raise fail(str(error), 2) from None
    except MemoryError:
        raise fail("out of memory", 1) from None


@contextmanager
def _progress(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A line on a terminal while something takes long; nothing elsewhere, so that logs stay clean."""
    with Progress(
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(),
        console=problems(), transient=True, disable=not problems().is_terminal,
    ) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.advance(task, done)


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False))


def _tell_written(*paths: Path | None) -> None:
    for path in paths:
        if path is not None:
            console().print(f"written: {path}", markup=False, highlight=False)
