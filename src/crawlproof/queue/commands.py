"""`crawlproof queue`: solve a model, or find its best thresholds. Exit codes: 0 fine, 1 no answer, 2 wrong input."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from crawlproof.laws.phase_type import ModelError
from crawlproof.queue import files
from crawlproof.queue.arrivals import Bmap
from crawlproof.queue.decision import SEES, Control
from crawlproof.queue.measures import Costs, Measures
from crawlproof.queue.model import METHODS, Optimum
from crawlproof.queue.sojourn import FATES
from crawlproof.queue.transient import STARTS, AfterBurst
from crawlproof.terminal import console, example, fail
from crawlproof.writing import write_whole

app = typer.Typer(
    name="queue", no_args_is_help=True, rich_markup_mode="rich",
    help="The threshold-controlled queue: robots deliver pages, one server indexes them, waiting pages become obsolete.",
)

Name = Annotated[str, typer.Argument(metavar="MODEL", show_default=False,
                                     help="A TOML file, or the name of a shipped model (see 'examples').")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, with all digits.")]
Plot = Annotated[Path | None, typer.Option(metavar="FILE", help="Draw a figure; its ending is its format.")]
Method = Annotated[str | None, typer.Option(metavar="|".join(METHODS), help="Instead of the choice by size.")]
Capacity = Annotated[int | None, typer.Option(metavar="K", help="Instead of the file's, the page in service included.")]
Modes = Annotated[str | None, typer.Option(metavar="LIST", help="Modes in the order of use, such as 3,1.")]
Thresholds = Annotated[str | None, typer.Option(
    metavar="LIST", help="Up to how many pages each mode but the last is used, such as 2.")]
Active = Annotated[str | None, typer.Option(
    metavar="LIST", help="Robots for 0 … K pages, instead of modes and thresholds.")]
Service = Annotated[str | None, typer.Option("--service-speed", metavar="S", help="Multiplies all rates of the service.")]
Obsolescence = Annotated[str | None, typer.Option("--obsolescence-speed", metavar="S",
                                                  help="Multiplies all rates of the obsolescence.")]


@contextmanager
def _errors() -> Iterator[None]:
    """One line for what went wrong, and the exit code that says whose fault it was."""
    try:
        yield
    except ModelError as error:
        message, code = str(error), 2
    except ArithmeticError as error:
        message, code = str(error), 1
    except OSError as error:
        message, code = f"{error.filename or ''}: {error.strerror or error}", 2
    except MemoryError:
        message, code = "not enough memory for this model", 1
    else:
        return
    raise fail(message, code)


def _numbers(text: str, option: str) -> list[int]:
    """A list such as 3,1; empty text is an empty list."""
    try:
        return [int(part) for part in text.split(",")] if text.strip() else []
    except ValueError:
        raise ModelError(f"{option} is {text!r}; it must be whole numbers with commas, such as 3,1") from None


def _decimals(text: str, option: str) -> list[float]:
    """A list such as 0.5,0.99."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ModelError(f"{option} is {text!r}; it must be numbers with commas, such as 0.5,0.99") from None


def _policy(loaded: files.Model, model: str, modes: str | None, thresholds: str | None, active: str | None) -> dict[str, Any]:
    """The policy that is given, or else the file's."""
    given = {name: _numbers(text, f"--{name}")
             for name, text in (("modes", modes), ("thresholds", thresholds), ("active", active)) if text is not None}
    policy = given or loaded.policy
    if not policy:
        raise ModelError(f"{model} has no [policy]: give --modes and --thresholds, or --active")
    return policy


def _check_figure(path: Path | None) -> None:
    """Say that a figure can't be drawn before the work is done."""
    if path is None:
        return
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ModelError("--plot needs matplotlib: pip install 'crawlproof[plot]'") from None
    formats = Figure().canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in formats:
        raise ModelError(f"--plot {path}: its ending must be one of {', '.join(sorted(formats))}")
    if not path.absolute().parent.is_dir():
        raise ModelError(f"--plot {path}: there is no directory {path.parent}")


def _draw(path: Path, paint: Callable[[Any], None]) -> None:
    """Write a figure, whole or not at all."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    paint(figure.subplots())
    write_whole(path, lambda place: figure.savefig(place, dpi=150))


def _words(values: tuple[int, ...]) -> str:
    return ", ".join(map(str, values)) or "–"


ROWS = (
    ("arrival_rate", "pages delivered per unit of time"),
    ("loss", "share lost, buffer full"),
    ("obsolescence", "share that becomes obsolete"),
    ("success", "share served"),
    ("starvation", "share of time with an empty system"),
    ("active_robots", "mean number of active robots"),
    ("sojourn", "mean time in the system, all pages"),
    ("sojourn_served", "mean time in the system, served pages"),
    ("sojourn_obsolete", "mean time in the system, obsolete pages"),
)


def _show_measures(result: Measures, costs: Costs | None) -> None:
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, words in ROWS:
        value = getattr(result, name)
        table.add_row(words, "–" if value is None else f"{value:.12g}", f"[dim]{name}[/]")
    if costs is not None:
        table.add_row("cost", f"{result.cost(costs):.12g}", "[dim]cost[/]")
    console().print(f"robots with 0 … {len(result.active) - 1} pages: {_words(result.active)}", highlight=False)
    console().print(table)
    console().print(f"[dim]{result.method}, {result.states:,} states, relative error about {result.error:.0e}[/]",
                  highlight=False)


@app.command(epilog=example(
    "crawlproof queue solve section7", "crawlproof queue solve section7 --modes 4,2,1 --thresholds 1,2",
    "crawlproof queue solve model.toml --active 3,3,3,1,1,1 --json", "crawlproof queue solve section7 --plot levels.png"))
def solve(model: Name,
          modes: Modes = None, thresholds: Thresholds = None, active: Active = None,
          capacity: Capacity = None, service: Service = None, obsolescence: Obsolescence = None,
          method: Method = None, as_json: Json = False, plot: Plot = None) -> None:
    """All measures of a queue under one policy: the file's, or the one given."""
    with _errors():
        _check_figure(plot)
        loaded = files.load(model, capacity=capacity, service_speed=service, obsolescence_speed=obsolescence)
        policy = _policy(loaded, model, modes, thresholds, active)
        result = loaded.queue.solve(**policy, method=method)
        if plot is not None:
            def paint(axes: Any) -> None:
                axes.bar(range(len(result.level_probabilities)), result.level_probabilities, color="#4477aa")
                axes.set(xlabel="pages in the system", ylabel="share of time", title=loaded.title)
            _draw(plot, paint)
    if as_json:
        cost = {} if loaded.costs is None else {"cost": result.cost(loaded.costs)}
        print(json.dumps({"model": loaded.name, **result.numbers(), **cost}, indent=2))
    else:
        _show_measures(result, loaded.costs)


@app.command(epilog=example(
    "crawlproof queue optimise section7", "crawlproof queue optimise section7 --capacity 10 --modes 3,1",
    "crawlproof queue optimise section7 --sees phase", "crawlproof queue optimise section7 --plot costs.pdf"))
def optimise(model: Name,
             modes: Annotated[str | None, typer.Option(
                 metavar="LIST", help="Only these modes, in the order of use; without it, all choices.")] = None,
             sees: Annotated[str, typer.Option(
                 metavar="|".join(SEES), help="What a policy may look at: the number of pages, the arrival phase too, or all.")
             ] = "level",
             capacity: Capacity = None, service: Service = None, obsolescence: Obsolescence = None,
             method: Method = None, as_json: Json = False, plot: Plot = None) -> None:
    """The cheapest thresholds for every choice of modes, and the cheapest of all. The file must have a table of costs."""
    with _errors():
        _check_figure(plot)
        loaded = files.load(model, capacity=capacity, service_speed=service, obsolescence_speed=obsolescence)
        if loaded.costs is None:
            raise ModelError(f"{model} has no [costs]")
        chosen = None if modes is None else _numbers(modes, "--modes")
        best = loaded.queue.optimise(loaded.costs, chosen, sees=sees, method=method)
        if isinstance(best, Control):
            if plot is not None:
                _draw(plot, lambda axes: _paint_control(axes, loaded, best))
            _show_control(loaded, best, as_json)
            return
        if plot is not None:
            _draw(plot, lambda axes: _paint_costs(axes, loaded, best, method))
    if as_json:
        print(json.dumps({"model": loaded.name, **_optimum(best)}, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for title in ("modes", "thresholds"):
        table.add_column(title)
    table.add_column("cost", justify="right")
    for row in best.table:
        style = "bold green" if (row.modes, row.thresholds) == (best.modes, best.thresholds) else ""
        table.add_row(_words(row.modes), _words(row.thresholds), f"{row.cost:.6f}", style=style)
    console().print(table)
    console().print(f"best: modes {_words(best.modes)}, thresholds {_words(best.thresholds)}, cost {best.cost:.12g}",
                  highlight=False)


def _show_control(loaded: files.Model, best: Control, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"model": loaded.name, "sees": best.sees, "active": best.active, "cost": best.cost,
                          "bound": best.bound, "thresholds_lose": best.thresholds_lose,
                          "measures": best.measures.numbers()}, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("pages", justify="right")
    for phase in range(len(best.active[0])):
        table.add_column(f"phase {phase + 1}", justify="right")
    for pages, row in enumerate(best.active):
        table.add_row(str(pages), *("/".join(map(str, sorted(_flat(robots)))) for robots in row))
    console().print("robots by pages and arrival phase (several: it depends on more)", highlight=False)
    console().print(table)
    console().print(f"cost {best.cost:.12g}; no such policy costs less than {best.bound:.12g}; the best thresholds cost "
                  f"{best.thresholds_lose:.2%} more", highlight=False)


def _flat(robots: Any) -> set[int]:
    return {robots} if isinstance(robots, int) else set().union(*map(_flat, robots))


def _paint_control(axes: Any, loaded: files.Model, best: Control) -> None:
    for phase in range(len(best.active[0])):
        points = [(pages, robots) for pages, row in enumerate(best.active) for robots in _flat(row[phase])]
        axes.plot(*zip(*points, strict=True), "o" if phase % 2 else "s", fillstyle="none", markersize=8 + 3 * phase,
                  label=f"arrival phase {phase + 1}")
    axes.set(xlabel="pages in the system", ylabel="active robots", title=loaded.title)
    axes.legend(fontsize="small")


@app.command(epilog=example(
    "crawlproof queue sojourn section7", "crawlproof queue sojourn section7 --fate obsolete --quantiles 0.5,0.9,0.99",
    "crawlproof queue sojourn section7 --times 1,5 --json", "crawlproof queue sojourn section7 --plot times.png"))
def sojourn(model: Name,
            fate: Annotated[str | None, typer.Option(metavar="|".join(FATES), help="Only pages with this fate.")] = None,
            quantiles: Annotated[str, typer.Option(metavar="LIST", help="Shares of pages, above 0 and below 1.")] = "0.5,0.9,0.99",
            times: Annotated[str | None, typer.Option(metavar="LIST", help="Times for which to tell the share of pages.")] = None,
            modes: Modes = None, thresholds: Thresholds = None, active: Active = None,
            capacity: Capacity = None, service: Service = None, obsolescence: Obsolescence = None,
            method: Method = None, as_json: Json = False, plot: Plot = None) -> None:
    """How long pages are in the system, by what becomes of them: the distribution, not only the mean."""
    with _errors():
        _check_figure(plot)
        loaded = files.load(model, capacity=capacity, service_speed=service, obsolescence_speed=obsolescence)
        shares = _decimals(quantiles, "--quantiles")
        moments = [] if times is None else _decimals(times, "--times")
        result = loaded.queue.solve(**_policy(loaded, model, modes, thresholds, active), method=method)
        found = {}
        laws = {name: result.sojourn_time(name) for name in ([fate] if fate is not None else FATES)}
        for name, law in laws.items():
            if law.probability == 0:
                found[name] = {"probability": 0.0}
                continue
            found[name] = {"probability": law.probability, "mean": law.mean,
                           "standard_deviation": max(law.moment(2) - law.mean**2, 0.0) ** 0.5,
                           "quantiles": {str(p): law.quantile(p) for p in shares},
                           "cdf": {str(t): law.cdf(t) for t in moments}}
        if plot is not None:
            def paint(axes: Any) -> None:
                for name, law in laws.items():
                    if law.probability > 0:
                        end = law.quantile(0.995)
                        grid = [end * k / 120 for k in range(121)]
                        axes.plot(grid, [law.cdf(t) for t in grid], label=f"{name} ({law.probability:.1%})")
                axes.set(xlabel="time in the system", ylabel="share of pages with this fate", title=loaded.title)
                axes.legend(fontsize="small")
            _draw(plot, paint)
    if as_json:
        print(json.dumps({"model": loaded.name, "active": result.active, **found}, indent=2))
        return
    for name, numbers in found.items():
        table = Table(box=None, show_header=False, pad_edge=False, title=f"{name} pages", title_justify="left")
        for label, value in numbers.items():
            rows = value.items() if isinstance(value, dict) else [("", value)]
            for of, number in rows:
                table.add_row(f"{label.replace('_', ' ')} {of}".strip(), f"{number:.12g}")
        console().print(table)


@app.command(epilog=example(
    "crawlproof queue burst section7 10", "crawlproof queue burst section7 10 --until 60 --points 7 --start empty",
    "crawlproof queue burst section7 10 --plot loss.png"))
def burst(model: Name,
          pages: Annotated[int, typer.Argument(metavar="PAGES", show_default=False, help="How many pages come at once.")],
          until: Annotated[float, typer.Option(metavar="T", help="The last time to look at.")] = 20.0,
          points: Annotated[int, typer.Option(metavar="N", min=2, help="How many times from 0 on.")] = 11,
          start: Annotated[str, typer.Option(metavar="|".join(STARTS), help="The queue just before.")] = "stationary",
          modes: Modes = None, thresholds: Thresholds = None, active: Active = None,
          capacity: Capacity = None, service: Service = None, obsolescence: Obsolescence = None,
          as_json: Json = False, plot: Plot = None) -> None:
    """What happens after a burst of pages: measures over time."""
    with _errors():
        _check_figure(plot)
        loaded = files.load(model, capacity=capacity, service_speed=service, obsolescence_speed=obsolescence)
        policy = _policy(loaded, model, modes, thresholds, active)
        if not until > 0:
            raise ModelError(f"--until is {until}; it must be positive")
        found = loaded.queue.after_burst(pages, [until * k / (points - 1) for k in range(points)], **policy, start=start)
        if plot is not None:
            fine = loaded.queue.after_burst(pages, [until * k / 200 for k in range(201)], **policy, start=start)
            _draw(plot, lambda axes: _paint_burst(axes, loaded, fine))
    columns = {"time": found.times, "pages": found.pages, "starvation": found.starvation, "loss": found.loss,
               "robots": found.active_robots, "lost": found.lost, "obsolete": found.obsolete, "served": found.served}
    if as_json:
        print(json.dumps({"model": loaded.name, "burst": found.burst, "lost_at_once": found.lost_at_once,
                          **{name: [None if value != value else value for value in values.tolist()]
                             for name, values in columns.items()},
                          "level_probabilities": found.level_probabilities.tolist()}, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for name in columns:
        table.add_column(name, justify="right")
    for row in zip(*columns.values(), strict=True):
        table.add_row(*(f"{value:.6g}" for value in row))
    console().print(table)
    console().print(f"[dim]lost, obsolete, served: since the burst, of which {found.lost_at_once:.6g} pages found no place[/]",
                  highlight=False)


def _paint_burst(axes: Any, loaded: files.Model, found: AfterBurst) -> None:
    axes.plot(found.times, found.loss, color="#aa3377")
    axes.set(xlabel="time after the burst", ylabel="share of delivered pages that is lost", title=loaded.title)
    other = axes.twinx()
    other.plot(found.times, found.pages, color="#4477aa", linestyle="--")
    other.set(ylabel="mean number of pages (dashed)")


@app.command(epilog=example("crawlproof queue sensitivities section7", "crawlproof queue sensitivities section7 --json"))
def sensitivities(model: Name, modes: Modes = None, thresholds: Thresholds = None, active: Active = None,
                  capacity: Capacity = None, service: Service = None, obsolescence: Obsolescence = None,
                  as_json: Json = False) -> None:
    """How the cost changes with rates and with its coefficients. The file must have a table of costs."""
    with _errors():
        loaded = files.load(model, capacity=capacity, service_speed=service, obsolescence_speed=obsolescence)
        if loaded.costs is None:
            raise ModelError(f"{model} has no [costs]")
        found = loaded.queue.sensitivities(loaded.costs, **_policy(loaded, model, modes, thresholds, active))
    if as_json:
        values = asdict(found)
        for name in ("service", "service_exit", "obsolescence", "obsolescence_exit"):
            values[name] = None if values[name] is None else values[name].tolist()
        values["arrivals"] = [array.tolist() for array in values["arrivals"]]
        print(json.dumps({"model": loaded.name, **values}, indent=2))
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_row("cost", f"{found.cost:.12g}")
    for name, value in found.costs.items():
        table.add_row(f"by the coefficient of {name}", f"{value:.12g}")
    for robots, value in zip(loaded.queue.robots, found.speeds["arrivals"], strict=True):
        table.add_row(f"by the speed of mode {robots}", f"{value:.12g}")
    table.add_row("by the speed of the service", f"{found.speeds['service']:.12g}")
    if found.speeds["obsolescence"] is not None:
        table.add_row("by the speed of the obsolescence", f"{found.speeds['obsolescence']:.12g}")
    console().print(table)


@app.command(epilog=example("crawlproof queue fit stamps.txt", "crawlproof queue fit stamps.txt --phases 3 --together 0.5"))
def fit(stamps: Annotated[Path, typer.Argument(metavar="FILE", show_default=False, help="Time stamps, one a line.")],
        phases: Annotated[int, typer.Option(metavar="N", help="Hidden phases.")] = 2,
        together: Annotated[float, typer.Option(metavar="T", help="Stamps within this time of each other are a batch.")] = 0.0,
        as_json: Json = False) -> None:
    """Arrivals fitted to time stamps, as a table for a model file, with their likelihood."""
    with _errors():
        try:
            lines = stamps.read_text("utf-8").split()
        except UnicodeDecodeError as error:
            raise ModelError(f"{stamps}: {error}") from None
        times = []
        for k, text in enumerate(lines, 1):
            try:
                times.append(float(text))
            except ValueError:
                raise ModelError(f"{stamps}: entry {k} is {text!r}, not a time") from None
        found = Bmap.fit(times, phases=phases, together=together)
    matrices = {f"D{k}": matrix.tolist() for k, matrix in enumerate(found.bmap.matrices)}
    if as_json:
        print(json.dumps({**matrices, "log_likelihood": found.log_likelihood, "batches": found.batches, "steps": found.steps,
                          "converged": found.converged}, indent=2))
        return
    print("[[arrivals]]")
    for name, matrix in matrices.items():
        print(f"{name} = {matrix}")
    how = "" if found.converged else ", not converged"
    print(f"# log-likelihood {found.log_likelihood:.12g} of {found.batches} batches, {found.steps} steps{how}")


def _optimum(best: Optimum) -> dict[str, Any]:
    return {"modes": best.modes, "thresholds": best.thresholds, "cost": best.cost,
            "exhaustive": best.exhaustive,
            "table": [asdict(row) for row in best.table], "measures": best.measures.numbers()}


def _paint_costs(axes: Any, loaded: files.Model, best: Optimum, method: str | None) -> None:
    """The cost of every pair of modes against its threshold; constant modes as level lines."""
    queue, costs = loaded.queue, loaded.costs
    pairs = [row.modes for row in best.table if len(row.modes) == 2]
    policies = [(pair, j) for pair in pairs for j in range(queue.capacity)]
    results = queue.solve_all([queue.active((j,), pair) for pair, j in policies], method=method)
    for pair in pairs:
        curve = [m.cost(costs) for (p, _), m in zip(policies, results, strict=True) if p == pair]
        axes.plot(range(queue.capacity), curve, marker="o", label=f"{pair[0]}, then {pair[1]}")
    for row in best.table:
        if len(row.modes) == 1:
            axes.axhline(row.cost, color="0.6", linestyle=":", zorder=1)
            axes.annotate(f"{row.modes[0]} always", (1, row.cost), xycoords=("axes fraction", "data"), fontsize="small",
                          color="0.4", ha="right", va="bottom")
    axes.set(xlabel="threshold", ylabel="cost", title=loaded.title)
    axes.xaxis.get_major_locator().set_params(integer=True)
    if pairs:
        axes.legend(fontsize="small", ncols=2)


@app.command(epilog=example("crawlproof queue examples", "crawlproof queue examples --show section7 > model.toml"))
def examples(show: Annotated[str | None, typer.Option(metavar="NAME", help="Print this model's file.")] = None) -> None:
    """The shipped models."""
    with _errors():
        known = files.shipped()
        if show is None:
            table = Table(box=None, show_header=False, pad_edge=False)
            for name in known:
                table.add_row(name, files.load(name).title)
            console().print(table, highlight=False)
        elif show in known:
            print(known[show], end="")
        else:
            raise ModelError(f"there is no shipped model {show!r} ({', '.join(known)})")
