"""The built site: its links, and its pages in a real browser, from a file server and from a folder.

One file, so that all of it runs in one process and the site is built once.
"""

from __future__ import annotations

import functools
import http.server
import json
import math
import os
import random
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import crawlproof.formulas
from claimproof.book import functions
from claimproof.core.ledger import Ledger
from claimproof.core.project import Project
from crawlproof import laws, schedule

ROOT = Path(__file__).parents[3]
PROJECT = Project(ROOT)
LEDGER = Ledger.read(PROJECT.ledger)
MAIN_PAGES = (
    "index.html", "status.html", "errata.html", "graph.html", "derivations/index.html", "solve.html", "explorer.html",
    "functions.html",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make site` builds it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, ROOT / "docs" / "build.py", "--out", folder / "html", "--work", folder / "work"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder / "html"


# Without a browser


@dataclass
class Page(HTMLParser):
    """The ids of a page, what it links to, what it loads, and pictures without a text."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    pictures_without_text: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attributes}
        if "id" in found:
            self.ids.add(found["id"])
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in ("script", "img", "iframe") and found.get("src"):
            self.loads.append(found["src"])
        if tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload"):
            self.loads.append(found["href"])
        if tag == "img" and not found.get("alt", "").strip():
            self.pictures_without_text.append(found.get("src", ""))


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    read = {}
    for path in sorted(site.rglob("*.html")):
        page = Page()
        page.feed(path.read_text(encoding="utf-8"))
        read[path.relative_to(site).as_posix()] = page
    return read


def is_external(address: str) -> bool:
    return re.match(r"[a-z]+:|//", address) is not None


def test_no_page_loads_anything_from_elsewhere(pages: dict[str, Page], site: Path):
    for name, page in pages.items():
        for address in page.loads:
            assert not is_external(address), f"{name} loads {address}"
            assert (site / name).parent.joinpath(unquote(address.split("?")[0])).exists(), f"{name} loads {address}"
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//|@import", sheet.read_text(encoding="utf-8")), sheet.name


def test_no_internal_link_is_broken(pages: dict[str, Page], site: Path):
    broken = []
    claims = {claim["id"] for claim in LEDGER.claims}
    for name, page in pages.items():
        for address in page.links:
            if is_external(address):
                continue
            path, fragment = urldefrag(address)
            target = (site / name).parent.joinpath(unquote(path)).resolve() if path else site / name
            known = pages.get(target.relative_to(site.resolve()).as_posix()) if target.is_file() and path else page
            # the graph takes the id of a claim as the one to begin with
            ids = known.ids | claims if known and path.endswith("graph.html") else known.ids if known else None
            if not target.is_file() or (fragment and ids is not None and unquote(fragment) not in ids):
                broken.append(f"{name} -> {address}")
    assert broken == []


def test_every_picture_has_a_text(pages: dict[str, Page]):
    assert {name: page.pictures_without_text for name, page in pages.items() if page.pictures_without_text} == {}


def test_every_claim_has_its_address(pages: dict[str, Page]):
    assert {claim["id"] for claim in LEDGER.claims} <= pages["status.html"].ids


def test_every_claim_with_a_notebook_has_its_cell(pages: dict[str, Page]):
    for claim in LEDGER.claims:
        if claim["notebook"] and (ROOT / claim["notebook"]).exists():
            page = claim["notebook"].replace("notebooks/", "derivations/").replace(".ipynb", ".html")
            assert f"check-{claim['id']}" in pages[page].ids, claim["id"]


def test_every_erratum_is_on_the_page_and_in_the_files(pages: dict[str, Page], site: Path):
    wrong = {claim["id"] for claim in LEDGER.errata()}
    assert wrong <= pages["errata.html"].ids
    listed = json.loads((site / "errata.json").read_text(encoding="utf-8"))
    assert {entry["id"] for paper in listed["papers"] for entry in paper["errata"]} == wrong
    for name in ("errata.md", "errata.tex"):
        assert (site / name).stat().st_size > 1000


def test_notebooks_can_be_had_as_they_were_committed(site: Path):
    for path in PROJECT.notebooks.glob("*/*.ipynb"):
        copied = site / "files" / path.parent.name / path.name
        assert copied.read_bytes() == path.read_bytes()


def test_the_preview_has_the_size_that_is_asked_for(site: Path):
    assert 'property="og:image" content="_static/preview.png"' in (site / "index.html").read_text(encoding="utf-8")
    header = (site / "_static" / "preview.png").read_bytes()[:24]
    assert (int.from_bytes(header[16:20]), int.from_bytes(header[20:24])) == (1200, 630)


# In a browser


@pytest.fixture(scope="module")
def browser(browser_path: str):
    from playwright.sync_api import sync_playwright

    # Chromium's sandbox doesn't work for root, which continuous integration often is.
    options = ["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=browser_path, args=options)
        yield opened
        opened.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server(site: Path) -> Iterator[str]:
    """A plain file server."""
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}/"
        serving.shutdown()
        thread.join()


class Tab:
    """A page in the browser that remembers what went wrong in it."""

    def __init__(self, page, base: str) -> None:
        self.page, self.base, self.problems = page, base, []
        page.on("console", lambda said: said.type in ("error", "warning") and self.problems.append(said.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("requestfailed", lambda request: self.problems.append(f"not loaded: {request.url}"))
        page.on("request", lambda request: request.url.startswith((base, "data:")) or self.problems.append(request.url))

    def open(self, name: str):
        self.page.goto("about:blank")  # so that a change of the fragment alone loads the page anew
        self.problems.clear()
        self.page.goto(self.base + name, wait_until="load")
        return self.page


@pytest.fixture(params=["server", "folder"])
def base(request: pytest.FixtureRequest, site: Path) -> str:
    return request.getfixturevalue("server") if request.param == "server" else site.as_uri() + "/"


@pytest.fixture
def tab(browser, site: Path) -> Iterator[Tab]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield Tab(context.new_page(), site.as_uri() + "/")
    context.close()


def test_main_pages_load_without_a_word_on_the_console(browser, base: str):
    context = browser.new_context()
    opened = Tab(context.new_page(), base)
    for name in MAIN_PAGES:
        opened.open(name)
        assert opened.problems == [], name
    context.close()


def test_every_page_loads_from_a_folder_and_typesets_its_formulas(tab: Tab, pages: dict[str, Page]):
    for name in pages:
        page = tab.open(name)
        page.evaluate("window.typesetFormulas(document)")
        assert tab.problems == [], name
        assert page.locator(".katex-error").count() == 0, name
        assert page.evaluate("[...document.querySelectorAll('.math:not(.typeset)')].map((e) => e.textContent)") == [], name


@pytest.mark.parametrize("width", [1280, 390])
def test_no_page_is_wider_than_the_screen(browser, site: Path, width: int):
    context = browser.new_context(viewport={"width": width, "height": 800})
    opened = Tab(context.new_page(), site.as_uri() + "/")
    example = next((page for page in sorted(site.glob("derivations/*/*.html"))), None)
    for name in (*MAIN_PAGES, *([example.relative_to(site).as_posix()] if example else [])):
        page = opened.open(name)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible(browser, site: Path, scheme: str):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    opened = Tab(context.new_page(), site.as_uri() + "/")
    example = sorted(site.glob("derivations/clw/*.html"))[0].relative_to(site).as_posix()
    # Only colours differ between the themes.
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] if scheme == "light" else ["color-contrast"]
    for name in (*MAIN_PAGES, example):
        page = opened.open(name)
        page.add_script_tag(path=ROOT / "tests" / "claimproof" / "book" / "vendor" / "axe.min.js")
        # Formulas carry MathML for readers; KaTeX's own picture of them is hidden from these.
        found = page.evaluate("(rules) => axe.run({exclude: [['.katex']]}, {runOnly: rules})", rules)["violations"]
        told = [f"{rule['id']} ({rule['impact']}): {node['html'][:160]}" for rule in found for node in rule["nodes"][:3]]
        assert told == [], f"{name}, {scheme}"
    context.close()


# Status


def shown(page) -> list[str]:
    return page.evaluate("[...document.querySelectorAll('details.claim')].filter((e) => !e.hidden).map((e) => e.id)")


def test_filters_show_what_they_say(tab: Tab):
    page = tab.open("status.html")
    assert set(shown(page)) == {claim["id"] for claim in LEDGER.claims}
    page.select_option("#filter-verdict", "false")
    assert set(shown(page)) == {claim["id"] for claim in LEDGER.claims if claim["verdict"] == "false"}
    page.select_option("#filter-evidence", "exact")
    wanted = {
        claim["id"] for claim in LEDGER.claims
        if claim["verdict"] == "false" and any(item["kind"] == "exact" for item in claim["evidence"])
    }
    assert set(shown(page)) == wanted
    assert page.locator("#count").inner_text() == f"{len(wanted)} of {len(LEDGER.claims)} claims"
    page.click("#filters button[type=reset]")
    page.wait_for_function("document.getElementById('count').textContent.indexOf(' of ') < 0")
    page.select_option("#filter-paper", "clw")
    page.select_option("#filter-section", "5")
    page.select_option("#filter-full", "yes")
    assert set(shown(page)) == {
        claim["id"] for claim in LEDGER.claims
        if claim["paper"] == "clw" and claim["section"] == "5" and claim["fully_verified"]
    }


def test_search_finds_ids_and_words(tab: Tab):
    page = tab.open("status.html")
    page.fill("#filter-text", "clw-l3.1")
    assert "CLW-L3.1" in shown(page)
    assert all(claim.lower().startswith("clw-l3.1") or "CLW-L3.1" in page.inner_text(f"[id='{claim}']") for claim in shown(page))
    page.fill("#filter-text", "no such words anywhere")
    assert shown(page) == []
    assert page.locator("#count").inner_text().startswith("0 of ")


def test_a_number_of_the_summary_filters(tab: Tab):
    page = tab.open("status.html")
    button = page.locator(".tally button[data-verdict=misprint][data-paper=clw]")
    wanted = int(button.inner_text())
    button.click()
    assert len(shown(page)) == wanted == LEDGER.counts()["clw"]["misprint"]


def test_a_link_to_a_claim_opens_it(tab: Tab):
    page = tab.open("status.html#CLW-C5.1")
    page.wait_for_selector("[id='CLW-C5.1'][open]")
    page.wait_for_timeout(1000)  # longer than the page takes to come to rest
    top = page.evaluate("document.getElementById('CLW-C5.1').getBoundingClientRect().top")
    assert 0 <= top < 300
    page.click("[id='CLW-C5.1'] dl a.claim-link >> nth=0")
    page.wait_for_function("location.hash !== '#CLW-C5.1'")


def test_a_claim_leads_to_its_cell_and_back(tab: Tab):
    claim = next(c for c in LEDGER.claims if c["notebook"] and (ROOT / c["notebook"]).exists())
    page = tab.open(f"status.html#{claim['id']}")
    page.click(f"[id='{claim['id']}'] dd a:has-text('the cell that checks it')")
    page.wait_for_selector(f"[id='check-{claim['id']}']")
    assert "derivations/" in page.url
    page.click(f"[id='check-{claim['id']}']")
    page.wait_for_selector(f"details[id='{claim['id']}'][open]")


# Graph


def test_a_click_on_a_claim_of_the_graph_tells_about_it(tab: Tab):
    page = tab.open("graph.html")
    page.click(".node[data-id='CLW-L3.1']")
    assert page.inner_text(".panel-title b") == "CLW-L3.1"
    listed = page.evaluate("[...document.querySelectorAll('#graph-panel [data-select]')].map((e) => e.dataset.select)")
    for other in next(c for c in LEDGER.claims if c["id"] == "CLW-L3.1")["rests_on"]:
        assert other in listed
    page.click("#graph-panel a")
    page.wait_for_selector("details[id='CLW-L3.1'][open]")


def test_steps_are_folded_until_they_are_asked_for(tab: Tab):
    page = tab.open("graph.html#CLW-T3.4")
    assert page.locator(".node[data-id='CLW-T3.4a']").count() == 0
    page.click("#toggle-steps")
    assert page.locator(".node[data-id='CLW-T3.4a']").count() == 1
    page.check("#graph-steps")
    nodes = page.evaluate("[...document.querySelectorAll('.node')].map((e) => e.dataset.id)")
    assert set(nodes) == {claim["id"] for claim in LEDGER.claims if claim["paper"] == "clw"}


def test_the_cone_of_a_claim_is_what_it_rests_on_and_what_rests_on_it(tab: Tab):
    page = tab.open("graph.html#CLW-C5.1")
    page.check("#graph-steps")
    page.check("#graph-cone")
    nodes = set(page.evaluate("[...document.querySelectorAll('.node')].map((e) => e.dataset.id)"))
    rests = {claim["id"]: claim["rests_on"] for claim in LEDGER.claims}
    used = {claim: [other for other in rests if claim in rests[other]] for claim in rests}

    def reached(start: str, edges: dict[str, list[str]]) -> set[str]:
        seen, queue = {start}, [start]
        while queue:
            for other in edges[queue.pop()]:
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
        return seen

    assert nodes == reached("CLW-C5.1", rests) | reached("CLW-C5.1", used)


def test_the_graph_can_be_walked_by_keyboard(tab: Tab):
    page = tab.open("graph.html")
    page.focus("#graph-fit")
    page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.dataset.id")
    assert first
    page.keyboard.press("ArrowRight")
    second = page.evaluate("document.activeElement.dataset.id")
    assert second not in (None, first)
    page.keyboard.press("Enter")
    assert page.inner_text(".panel-title b") == second
    before = page.get_attribute("#graph", "viewBox")
    page.keyboard.press("+")
    assert page.get_attribute("#graph", "viewBox") != before
    page.keyboard.press("Escape")
    assert page.locator(".panel-title").count() == 0


# Explorer: the numbers in the page are those of Python


def arguments_of(item: functions.Generated, rng: random.Random) -> list[float]:
    """A draw from the domain that a generated function states, over many orders of magnitude."""
    values: dict[str, float] = {}
    for name, described in item.described:
        domain = re.match(r"\((.*?)\)", described)[1]
        low = float(found[1]) if (found := re.search(r">=? (-?\d+)", domain)) else None
        high = float(found[1]) if (found := re.search(r"<=? (-?\d+)", domain)) else None
        if low is not None and high is not None:
            values[name] = rng.uniform(low, high)
        elif low is not None:
            values[name] = low + 10 ** rng.uniform(-6, 3)
        else:
            values[name] = (high or 0.0) - 10 ** rng.uniform(-6, 1)
    if {"log_laplace", "change_rate", "mean_access_time"} <= set(values):
        # Jensen's rule relates these three
        values["log_laplace"] = -values["change_rate"] * values["mean_access_time"] * rng.uniform(0.2, 1)
    return list(values.values())


@pytest.mark.parametrize("item", functions.generated(PROJECT.formulas), ids=lambda item: item.name)
def test_formulas_in_the_page_equal_those_in_python(tab: Tab, item: functions.Generated):
    rng = random.Random(item.name)
    points = [arguments_of(item, rng) for _ in range(200)]
    page = tab.open("explorer.html")
    there = page.evaluate(
        "([name, points]) => points.map((point) => { try { return crawlproofFormulas[name](...point); }"
        " catch (problem) { return problem.message; } })",
        [item.name, points],
    )
    python = getattr(crawlproof.formulas, item.name)
    compared = 0
    for point, value in zip(points, there, strict=True):
        try:
            wanted = python(*point)
        except (ValueError, OverflowError):
            assert isinstance(value, str), f"{item.name}{tuple(point)}: {value}, but Python refuses"
            continue
        assert isinstance(value, int | float), f"{item.name}{tuple(point)}: {value}"
        assert math.isclose(value, wanted, rel_tol=1e-12, abs_tol=1e-300), f"{item.name}{tuple(point)}: {value} {wanted}"
        compared += 1
    assert compared >= 50


PAGE_LAWS = {
    "constant": laws.Deterministic(1.0),
    "uniform": laws.Uniform(0.0, 2.0),
    "gamma4": laws.Gamma(shape=4.0, mean=1.0) if "mean" in laws.Gamma.__dataclass_fields__ else laws.Gamma(4.0, 0.25),
    "exponential": laws.Exponential(mean=1.0),
}


@pytest.mark.parametrize("name", PAGE_LAWS)
def test_access_times_in_the_page_equal_those_in_python(tab: Tab, name: str):
    rates = [10**exponent for exponent in (-9, -4, -1, 0, 0.5, 2)]
    there = tab.open("explorer.html").evaluate("([name, rates]) => rates.map(explorerModel.LAWS[name])", [name, rates])
    assert there == pytest.approx([-PAGE_LAWS[name].log_laplace(rate) for rate in rates], rel=1e-12)


RATES = [0.3, 0.11, 0.05, 0.02, 0.02]


@pytest.mark.parametrize("name", PAGE_LAWS)
def test_a_crawl_in_the_page_equals_python(tab: Tab, name: str):
    law = PAGE_LAWS[name]
    page = tab.open("explorer.html")
    plan = schedule.frequencies(RATES, access_time=law)
    log_laplace = [law.log_laplace(rate) for rate in RATES]

    def lost(distance: float, i: int) -> float:
        return crawlproof.formulas.expected_obsolescence(distance, RATES[i], 1.0, log_laplace[i])

    for policy in ("golden-ratio", "randomized", "round-robin"):
        there = page.evaluate("([rates, law, policy]) => explorerModel.crawl(rates, law, policy)", [RATES, name, policy])
        assert there["bound"] == pytest.approx(plan.cost, rel=1e-12)
        if policy == "round-robin":
            wanted = schedule.evaluate(range(len(RATES)), RATES, law).obsolescence
        else:
            assert there["frequencies"] == pytest.approx(list(plan.frequency), rel=1e-12)
            if policy == "randomized":
                wanted = crawlproof.formulas.randomized_obsolescence(plan.frequency, RATES, 1.0, log_laplace)
            else:
                wanted = []
                for i, frequency in enumerate(plan.frequency):
                    gaps = schedule.golden_ratio_gap_law(frequency)
                    mean_lost = sum(p * lost(d, i) for p, d in zip(gaps.probabilities, gaps.gaps, strict=True))
                    wanted.append(mean_lost / gaps.mean)
        assert there["stale"] == pytest.approx(list(wanted), rel=1e-12)


def test_the_slider_moves_the_wave(tab: Tab):
    page = tab.open("explorer.html")
    before = page.inner_text("#wave-result")
    page.evaluate("(s) => { s.value = 29; s.dispatchEvent(new Event('input')); }", page.query_selector("#wave-pages"))
    after = page.inner_text("#wave-result")
    assert after != before
    assert after.startswith("29 equal pages")
    assert "1.0472" in page.inner_text("#wave-printed")
    assert "1.1090" in page.inner_text("#wave-correct")


@pytest.mark.parametrize(("rates", "named"), [("1 2 x", "“x”"), ("1 -2", "“-2”"), ("", "“”")])
def test_a_bad_rate_is_named(tab: Tab, rates: str, named: str):
    page = tab.open("explorer.html")
    page.select_option("#crawl-rates", "own")
    page.fill("#crawl-own", rates)
    assert named in page.inner_text("#crawl-error")
    assert tab.problems == []
