"""Build the site: python docs/build.py [--out FOLDER] [--work FOLDER]. ``make site`` runs this."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from sphinx.cmd.build import build_main

from crawlproof.book import site
from crawlproof.claims.project import Project

DOCS = Path(__file__).parent


def build(out: Path, work: Path) -> int:
    """Fill ``work`` with pages and run Sphinx on it; Sphinx's exit code."""
    source = work / "source"
    site.prepare(Project(DOCS.parent), source)
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
