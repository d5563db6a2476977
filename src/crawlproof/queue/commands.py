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
from crawlproof.queue.measures import Costs, Measures
from crawlproof.queue.model import METHODS, Optimum
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
          modes: Annotated[str | None, typer.Option(metavar="LIST", help="Modes in the order of use, such as 3,1.")] = None,
          thresholds: Annotated[str | None, typer.Option(
              metavar="LIST", help="Up to how many pages each mode but the last is used, such as 2.")] = None,
          active: Annotated[str | None, typer.Option(
              metavar="LIST", help="Robots for 0 … K pages, instead of modes and thresholds.")] = None,
          capacity: Capacity = None, service: Service = None, obsolescence: Obsolescence = None,
          method: Method = None, as_json: Json = False, plot: Plot = None) -> None:
    """All measures of a queue under one policy: the file's, or the one given."""
    with _errors():
        _check_figure(plot)
        loaded = files.load(model, capacity=capacity, service_speed=service, obsolescence_speed=obsolescence)
        policy: dict[str, Any] = {}
        for name, text in (("modes", modes), ("thresholds", thresholds), ("active", active)):
            if text is not None:
                policy[name] = _numbers(text, f"--{name}")
        policy = policy or loaded.policy or {}
        if not policy:
            raise ModelError(f"{model} has no [policy]: give --modes and --thresholds, or --active")
        result = loaded.queue.solve(**policy, method=method)
        if plot is not None:
            def paint(axes: Any) -> None:
                axes.bar(range(len(result.level_probabilities)), result.level_probabilities, color="#4477aa")
                axes.set(xlabel="pages in the system", ylabel="share of time", title=loaded.title)
            _draw(plot, paint)
    if as_json:
        cost = {} if loaded.costs is None else {"cost": result.cost(loaded.costs)}
        print(json.dumps({"model": loaded.name, **asdict(result), **cost}, indent=2))
    else:
        _show_measures(result, loaded.costs)


@app.command(epilog=example(
    "crawlproof queue optimise section7", "crawlproof queue optimise section7 --capacity 10 --modes 3,1",
    "crawlproof queue optimise model.toml --json", "crawlproof queue optimise section7 --plot costs.pdf"))
def optimise(model: Name,
             modes: Annotated[str | None, typer.Option(
                 metavar="LIST", help="Only these modes, in the order of use; without it, all choices.")] = None,
             capacity: Capacity = None, service: Service = None, obsolescence: Obsolescence = None,
             method: Method = None, as_json: Json = False, plot: Plot = None) -> None:
    """The cheapest thresholds for every choice of modes, and the cheapest of all. The file must have a table of costs."""
    with _errors():
        _check_figure(plot)
        loaded = files.load(model, capacity=capacity, service_speed=service, obsolescence_speed=obsolescence)
        if loaded.costs is None:
            raise ModelError(f"{model} has no [costs]")
        chosen = None if modes is None else _numbers(modes, "--modes")
        best = loaded.queue.optimise(loaded.costs, chosen, method=method)
        if plot is not None:
            _draw(plot, lambda axes: _paint_costs(axes, loaded, best, method))
    if as_json:
        print(json.dumps({"model": loaded.name, **asdict(best)}, indent=2))
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
