"""The plot of the start page and the preview image: the golden ratio's wave, from the generated formula."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from crawlproof.formulas import golden_ratio_ratio

PHI = (1 + math.sqrt(5)) / 2


def place_of(pages: np.ndarray) -> np.ndarray:
    """s = phi^j/N in [1, phi), the place of N equal pages' frequency 1/N between two powers of 1/phi."""
    power = np.ceil(np.log(pages) / math.log(PHI) - 1e-12)
    return np.clip(PHI**power / pages, 1.0, PHI)


def wave(relative_rate: float, pages: np.ndarray) -> np.ndarray:
    """Limiting cost over the lower bound for N equal pages under the golden ratio policy."""
    return golden_ratio_ratio(place=place_of(pages), relative_rate=np.full(pages.shape, relative_rate))


def extremes() -> tuple[float, float]:
    """Least and greatest of the wave as q tends to 0: the printed constant and the right one."""
    return golden_ratio_ratio(1.0, 0.0), golden_ratio_ratio(PHI**2 / 2, 0.0)


def _path(x: np.ndarray, y: np.ndarray) -> str:
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True))


def wave_svg(width: int = 720, height: int = 300) -> str:
    """The wave as SVG that takes its colours from the page's theme."""
    left, right, top, bottom = 52, 24, 14, 40
    low, high = 1.035, 1.12
    first, last = 20.0, 2000.0
    pages = np.geomspace(first, last, 700)

    def across(n: np.ndarray | float) -> np.ndarray | float:
        return left + (np.log(n) - math.log(first)) / math.log(last / first) * (width - left - right)

    def down(ratio: np.ndarray | float) -> np.ndarray | float:
        return top + (high - ratio) / (high - low) * (height - top - bottom)

    printed, correct = extremes()
    out = [
        f'<svg class="plot" viewBox="0 0 {width} {height}" role="img" aria-labelledby="wave-title wave-text">',
        '<title id="wave-title">Cost of the golden ratio policy over the lower bound</title>',
        f'<desc id="wave-text">A wave in the number of equal pages that swings between {printed:.4f}, the bound '
        f"that is printed, and {correct:.4f}, the bound that holds.</desc>",
    ]
    for ratio in (1.04, 1.06, 1.08, 1.10, 1.12):
        y = down(ratio)
        out.append(f'<line class="grid" x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{ratio:.2f}</text>')
    for n in (20, 50, 100, 200, 500, 1000, 2000):
        out.append(f'<text x="{across(n):.1f}" y="{height - 22}" text-anchor="middle">{n}</text>')
    out.append(f'<text x="{(left + width - right) / 2:.0f}" y="{height - 4}" text-anchor="middle">number of equal pages</text>')
    out.append(f'<path class="wave" d="{_path(across(pages), down(wave(0.0, pages)))}"/>')
    for ratio, name, kind in ((printed, f"printed: at most 2φ²/5 = {printed:.4f}", "printed"), (correct, f"correct: φ⁵/10 = {correct:.4f}", "correct")):
        y = down(ratio)
        out.append(f'<line class="{kind}" x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        offset = 15 if kind == "printed" else -6
        out.append(f'<text class="{kind}" x="{left + 8}" y="{y + offset:.1f}">{name}</text>')
    return "".join([*out, "</svg>"])


def preview_image(path: Path, claims: int, errata: int) -> None:
    """The picture that a link to the site is shown with, 1200 by 630."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 6.3), dpi=100, facecolor="#12263f")
    figure.text(0.06, 0.83, "crawlproof", color="white", fontsize=54, weight="bold")
    figure.text(0.06, 0.68, f"{claims} claims about two papers on web crawling, re-derived and checked by machine;\n"
                f"{errata} are not as printed", color="#c8d6e8", fontsize=18, linespacing=1.4)
    axes = figure.add_axes((0.06, 0.08, 0.88, 0.54), facecolor="#12263f")
    pages = np.geomspace(20, 2000, 1200)
    axes.semilogx(pages, wave(0.0, pages), color="#8ab4f8", lw=3)
    printed, correct = extremes()
    labels = ((printed, "#ffb0ab", r"printed $2\varphi^2/5$", -0.008), (correct, "#8fe0b0", r"correct $\varphi^5/10$", 0.002))
    for ratio, colour, name, offset in labels:
        axes.axhline(ratio, color=colour, lw=2, ls="--")
        axes.text(18, ratio + offset, name, color=colour, fontsize=18)
    axes.set_ylim(1.038, 1.118)
    axes.set_xlim(18, 2200)
    axes.set_axis_off()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Software": None})
