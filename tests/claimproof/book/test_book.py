"""The parts of the book: texts, witnesses, lines of code, errata, anchors, graph."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from pathlib import Path

import nbformat
import pytest

from claimproof.book import cells, errata, functions, graph, relations, text
from claimproof.book.code import check_lines, deciding
from claimproof.book.site import places_of
from claimproof.core import inventory
from claimproof.core.ledger import Ledger
from claimproof.core.project import Project

ROOT = Path(__file__).parents[3]
PROJECT = Project(ROOT)


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    return Ledger.read(PROJECT.ledger)


@pytest.fixture(scope="module")
def grouped(ledger: Ledger):
    return errata.by_paper(errata.errata(ledger, PROJECT), inventory.load(PROJECT))


# Texts


def test_formulas_keep_their_stars_and_words_lose_their_markup():
    source = "*most overdue* has $a*b*c < 1$, **always**, see `f(x)`"
    assert [kind for kind, _ in text.pieces(source)] == ["em", "text", "math", "text", "strong", "text", "code"]
    assert text.to_html(source).count(r"\(a*b*c &lt; 1\)") == 1
    assert "<strong>always</strong>" in text.to_html(source)


def test_html_is_escaped():
    assert text.to_html("a < b & $c < d$") == (
        'a &lt; b &amp; <span class="math notranslate nohighlight">\\(c &lt; d\\)</span>'
    )


def test_latex_is_ascii_and_escaped():
    assert text.to_latex("rate μ_i, 5 % of $c_i ≤ 1$") == r"rate \(\mu\)\_i, 5 \% of \(c_i \le  1\)"
    assert text.to_latex("é, ö, x²") == r"\'{e}, \"{o}, x\(^2\)"


def test_a_letter_without_latex_is_named():
    with pytest.raises(ValueError, match="'ж'"):
        text.to_latex("ж")


def test_a_bare_formula_gets_its_dollars_and_words_do_not():
    assert text.with_dollars(r"\frac{1}{2}") == r"$\frac{1}{2}$"
    assert text.with_dollars("a letter of its own") == "a letter of its own"
    assert text.with_dollars("$x$") == "$x$"


def test_every_text_of_the_ledger_has_latex(ledger: Ledger):
    for claim in ledger.claims:
        for part in (claim["statement"], claim["place"], *claim["hypotheses"], *claim["printed"].values()):
            assert text.to_latex(part).isascii(), claim["id"]


# Witnesses


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("x**2 <= 1/2", r"x^{2} \le \frac{1}{2}"),
        ("Eq(lambda, E)", r"\lambda = E"),
        ("Ne(1, 1)", r"1 \ne 1"),
        ("exp(-mu) > EX", r"e^{- \mu} > E[X]"),
        ("2*(1/2 + sqrt(5)/2)**2/5 >= 1", r"\frac{2 \phi^{2}}{5} \ge 1"),
        ("row_sum < 1", r"\text{row sum} < 1"),
    ],
)
def test_relations_are_typeset_and_never_decided(source: str, wanted: str):
    assert relations.relation(source) == wanted


def test_what_is_no_relation_is_left_alone():
    assert relations.relation("exp(x)") is None
    assert relations.relation("unknown(x) < 1") is None
    assert relations.relation("x <") is None


def test_values_keep_their_digits():
    assert relations.value("27/32 = 0.84375") == r"\frac{27}{32} = 0.84375"
    assert relations.value("exp(-1) ~ 0.367879441171") == r"e^{-1} \approx 0.367879441171"
    assert relations.value("1.10510341218") == "1.10510341218"
    assert relations.value("-171/5000000 = -3.42000000000e-5") == r"- \frac{171}{5000000} = -3.42000000000 \cdot 10^{-5}"


def test_words_are_set_as_words_and_letters_as_letters():
    assert relations.point({"first_row_sum": "-1/2", "mu_1": "1"}) == r"\text{first row sum} = - \frac{1}{2},\; \mu_{1} = 1"


# Lines of code


def test_checks_are_found_by_name_and_by_call(tmp_path: Path):
    (tmp_path / "d.py").write_text(
        'first = paper.claim("A-1")\nfirst.equal(x,\n    y)\npaper.claim("A-2").refute(z)\n'
        'first = other("A-3")\nfirst.gap(because="")\ntable = {"A-4": 1}\n'
    )
    found = check_lines(tmp_path, "d.py", ["A-1", "A-2", "A-3", "A-4", "A-5"])
    assert [(line.line, line.code) for line in found["A-1"]] == [(2, "first.equal(x,\n    y)")]
    assert (found["A-2"][0].line, found["A-2"][0].method) == (4, "refute")
    assert (found["A-3"][0].line, found["A-3"][0].method) == (6, "gap")
    assert (found["A-4"][0].line, found["A-4"][0].method) == (7, "named")
    assert found["A-5"] == []


def test_checks_are_found_through_loops_and_helpers(tmp_path: Path):
    (tmp_path / "d.py").write_text(
        'a, b = paper.claim("A-1"), paper.claim("A-2")\nb.refute(x)\n'
        'for name, what in (("A-3", 1), ("A-4", 2)):\n    claim = paper.claim(name)\n    claim.refute(what)\n'
        'for claim in (a, b):\n    claim.gap(x)\n'
        'helper(\n    "A-5",\n)\n'
    )
    found = check_lines(tmp_path, "d.py", ["A-1", "A-2", "A-3", "A-4", "A-5"])
    assert [(line.line, line.method) for line in found["A-1"]] == [(7, "gap")]
    assert [(line.line, line.method) for line in found["A-2"]] == [(2, "refute"), (7, "gap")]
    assert [(line.line, line.method) for line in found["A-3"]] == [(5, "refute")]
    assert found["A-4"] == found["A-3"]
    assert found["A-5"][0].code == 'helper(\n    "A-5",\n)'


def test_the_refutation_is_what_decides(tmp_path: Path):
    (tmp_path / "d.py").write_text('c = paper.claim("A-1")\nc.equal(1, 1)\nc.refute(z)\n')
    assert deciding(check_lines(tmp_path, "d.py", ["A-1"])["A-1"]).method == "refute"
    assert deciding([]) is None


# Errata


def test_every_erratum_is_there_once_with_its_check(ledger: Ledger, grouped):
    listed = [erratum.id for _, own in grouped for erratum in own]
    assert sorted(listed) == sorted(claim["id"] for claim in ledger.errata())
    for _, own in grouped:
        for erratum in own:
            assert erratum.check is not None, erratum.id
            line = (ROOT / erratum.check.path).read_text(encoding="utf-8").splitlines()[erratum.check.line - 1]
            assert erratum.check.code.startswith(line)


def test_errata_are_in_the_order_of_the_sections(grouped):
    for _, own in grouped:
        sections = [errata.section_key(erratum.claim["section"]) for erratum in own]
        assert sections == sorted(sections)


def test_what_is_false_shows_both_sides_and_what_holds(grouped):
    for _, own in grouped:
        for erratum in own:
            if erratum.claim["verdict"] == "false":
                labels = {row.label for row in erratum.rows}
                assert {"Asserted there", "Left side", "Right side", "Correct"} <= labels, erratum.id


def test_all_formats_tell_the_same(grouped):
    markdown, latex, listed = (
        errata.to_markdown_text(grouped), errata.to_latex_text(grouped), json.loads(errata.to_json_text(grouped))
    )
    ids = [erratum.id for _, own in grouped for erratum in own]
    assert [entry["id"] for paper in listed["papers"] for entry in paper["errata"]] == ids
    for claim in ids:
        assert f"`{claim}`" in markdown
        assert text.to_latex(claim) in latex


def test_the_letter_is_fit_for_latex(grouped):
    latex = errata.to_latex_text(grouped)
    assert latex.isascii()
    for opening, closing in (("{", "}"), ("(", ")")):
        plain = latex if opening == "{" else "".join(re.findall(r"\\[()]", latex))
        assert plain.count(opening) == plain.count(closing)
    assert latex.count(r"\begin{") == latex.count(r"\end{")


# Notebooks


def notebook(*sources: tuple[str, str]) -> nbformat.NotebookNode:
    node = nbformat.v4.new_notebook()
    for source, printed in sources:
        cell = nbformat.v4.new_code_cell(source)
        if printed:
            cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=printed)]
        node.cells.append(cell)
    return node


CLAIM = {"id": "A-1", "place": "(1)", "verdict": "holds"}


def test_a_check_gets_an_anchor_and_a_way_back():
    made = cells.with_anchors(notebook(("1", ""), ("check()", "A-1  holds  exact\n")), [CLAIM], {}, "../../", {})
    assert made.anchored == {"A-1"}
    kinds = [cell.cell_type for cell in made.notebook.cells]
    assert kinds == ["code", "markdown", "code"]
    assert 'id="check-A-1" href="../../status.html#A-1"' in made.notebook.cells[1].source


def test_another_claim_of_a_longer_name_is_not_taken_for_it():
    made = cells.with_anchors(notebook(("check()", "A-1-corrected  holds  exact\n")), [CLAIM], {}, "", {})
    assert made.anchored == set()


def test_claims_in_the_text_become_links_and_formulas_stay():
    source = "# A-1 itself\nBy AA-1, not $AA-1$ or `AA-1` or AA-12 (see AA-1).\n\n$$AA-1$$"
    linked = cells.with_links(source, {"AA-1": {"id": "AA-1", "verdict": "holds"}}, "../")
    assert linked.count('href="../status.html#AA-1"') == 2
    assert linked.startswith("# A-1 itself\n")
    assert "$AA-1$ or `AA-1` or AA-12" in linked
    assert linked.endswith("$$AA-1$$")


def test_plots_say_what_they_show():
    node = notebook(("axis.set(xlabel='pages $N$', ylabel='cost')", ""))
    node.cells.insert(0, nbformat.v4.new_markdown_cell("## The wave"))
    made = cells.with_anchors(node, [], {}, "", {})
    alt = made.notebook.cells[1].metadata["mystnb"]["image"]["alt"]
    assert alt == "Plot of cost against pages N. It belongs to the section “The wave”."


def test_places_lead_to_their_own_equations_only():
    assert places_of("Corollary 5.1, (19)") == ["Corollary 5.1", "(19)"]
    assert places_of("Theorem 4.1, proof, after (12)") == ["Theorem 4.1"]
    assert places_of("Section 2, implied by (1)") == []
    assert places_of("Section 5, display, line 3 (1999), Q(0)") == []


# Graph, functions, vendored code


def test_steps_belong_to_their_claim():
    known = {"A-T3.4", "A-T3.4g", "A-T3.4g2", "A-X.b", "A-L", "A-L.down"}
    assert graph.whole_of("A-L.down", known) == graph.whole_of("A-L.B-range-corrected", known) == "A-L"
    assert graph.whole_of("A-T3.4g", known) == "A-T3.4"
    assert graph.whole_of("A-T3.4g2", known) == "A-T3.4"
    assert graph.whole_of("A-T3.4g-corrected", known) == "A-T3.4"
    assert graph.whole_of("A-T3.4-corrected", known) is None
    assert graph.whole_of("A-T9z", known) is None
    assert graph.whole_of("A-X.b", known) is None


def test_every_generated_function_has_a_verified_claim(ledger: Ledger):
    found = functions.generated(PROJECT.formulas)
    assert found
    for item in found:
        assert ledger[item.claim]["verdict"] in ("holds", "gap", "misprint"), item.name
        assert {name for name, _ in item.described} == set(item.arguments)
        assert "ulp" in item.fields["Error"]


def test_code_of_others_is_unchanged_and_has_its_licence():
    listed = tomllib.loads((ROOT / "src" / "claimproof" / "book" / "vendor" / "vendored.toml").read_text(encoding="utf-8"))["package"]
    for package in listed:
        folder = ROOT / package["folder"]
        files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        assert files == set(package["sha256"]), package["name"]
        assert any(name.startswith("LICENSE") for name in files)
        for name, wanted in package["sha256"].items():
            assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == wanted, name
