"""Figures for the command line: each function draws numbers that it is given into one axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crawlproof.schedule import files

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg", ".pdf")
MOST_POINTS = 20_000
"""More dots than this make a file large and show nothing new."""


def check_place(path: Path) -> Path:
    """Refuse a figure that could not be written, before the work."""
    if path.suffix.lower() not in FORMATS:
        raise files.BadFile(f"can't plot to {path}: its name must end in {', '.join(FORMATS)}")
    files.check_place(path)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise files.BadFile("--plot needs matplotlib: pip install 'crawlproof[plot]'") from None
    return path


def save(path: Path, panels: Sequence[Callable[[Axes], None]]) -> None:
    """Draw the panels side by side and write the figure whole or not at all."""
    # Figure itself rather than pyplot: no display, no state that outlives the call.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2 * len(panels), 4.0), layout="constrained")
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        panel(axes)
    files.write_whole(path, lambda place: figure.savefig(place, dpi=150))


def freshness_against_bandwidth(
    axes: Axes, accesses_per_day: np.ndarray, curves: Mapping[str, np.ndarray], now: float
) -> None:
    """Freshness (weighted share of up-to-date pages) that each policy reaches, over the robot's speed."""
    for (name, freshness), style in zip(curves.items(), ("-", "--", ":"), strict=False):
        axes.plot(accesses_per_day, freshness, style, label=name)
    axes.axvline(now, color="0.6", linewidth=0.8)
    axes.annotate("now", (now, 0.02), xycoords=("data", "axes fraction"), xytext=(3, 0), textcoords="offset points", color="0.4")
    axes.set(xscale="log", xlabel="accesses per day", ylabel="freshness", title="Freshness against bandwidth", ylim=(0, 1))
    axes.legend(loc="lower right")
    axes.grid(alpha=0.3)


def frequency_against_rate(axes: Axes, changes_per_day: np.ndarray, accesses_per_day: np.ndarray) -> None:
    """How often a page is accessed over how often it changes; dropped pages lie on the lower edge."""
    chosen = np.unique(np.linspace(0, len(changes_per_day) - 1, min(len(changes_per_day), MOST_POINTS)).astype(np.int64))
    rate, access = changes_per_day[chosen], accesses_per_day[chosen]
    kept = access > 0
    axes.scatter(rate[kept], access[kept], s=3, alpha=0.3, linewidths=0, rasterized=True, label="accessed")
    if (~kept).any() and kept.any():
        floor = access[kept].min() / 2
        axes.scatter(rate[~kept], np.full((~kept).sum(), floor), s=6, marker="|", linewidths=0.5, rasterized=True,
                     color="C3", label="dropped")
    axes.set(xscale="log", yscale="log", xlabel="changes per day", ylabel="accesses per day",
             title="Frequency against change rate")
    axes.legend(loc="upper left", markerscale=3)
    axes.grid(alpha=0.3)


def ratio_of_policies(axes: Axes, ratios: Mapping[str, float]) -> None:
    """Cost of each policy's schedule over the lower bound: 1 can't be beaten."""
    names = sorted(ratios, key=ratios.__getitem__)
    bars = axes.barh(names, [ratios[name] - 1 for name in names], left=1)
    axes.bar_label(bars, [f"{ratios[name]:.4f}" for name in names], padding=3)
    axes.invert_yaxis()
    axes.margins(x=0.18)
    axes.axvline(1, color="0.3", linewidth=0.8)
    axes.set(xlabel="cost over lower bound", title="Ratio of policies")
