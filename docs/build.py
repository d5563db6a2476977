"""Build the site: python docs/build.py [--out FOLDER] [--work FOLDER]. ``make site`` runs this."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import golden_wave
from sphinx.cmd.build import build_main
from typer.core import TyperGroup
from typer.main import get_command

from claimproof.book import site
from claimproof.core.project import Project
from crawlproof.cli import app

DOCS = Path(__file__).parent


def commands() -> list[tuple[str, str]]:
    """The commands of the command line and what each does."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    with group.make_context("crawlproof", [], resilient_parsing=True) as context:
        listed = [(name, group.get_command(context, name)) for name in group.list_commands(context)]
    return [(name, (found.help or "").split("\n\n")[0].replace("\n", " ")) for name, found in listed if found]


def build(out: Path, work: Path) -> int:
    """Fill ``work`` with pages and run Sphinx on it; Sphinx's exit code."""
    source = work / "source"
    book = site.prepare(Project(DOCS.parent), source, golden_wave.wave_svg(), commands())
    golden_wave.preview_image(source / "_static" / "preview.png", len(book.claims), len(book.errata))
    return build_main(["-q", "-j", "auto", "-b", "html", "-d", str(work / "doctrees"), str(source), str(out)])


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the site from the ledger and the notebooks.")
    parser.add_argument("--out", type=Path, default=DOCS / "_build" / "html", help="where the pages go")
    parser.add_argument("--work", type=Path, default=DOCS / "_build", help="where they are prepared")
    chosen = parser.parse_args()
    out = chosen.out.resolve()
    started = time.monotonic()
    code = build(out, chosen.work.resolve())
    if code == 0:
        print(f"site built in {time.monotonic() - started:.0f} s: open {out / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main())
