"""The ledger: what stands, what waits for what, and what changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimproof.core import ledger
from claimproof.core.inventory import Claim, Inventory, InventoryError, PaperInfo
from claimproof.core.ledger import DerivationResult, Ledger, build, differences, incomplete
from claimproof.core.project import Project
from claimproof.core.statement import Statement
from claimproof.core.symbols import Domain, Symbol, SymbolTable
from claimproof.core.verdict import Check, ContradictoryChecks, Role, Scope

PROJECT = Project(Path("somewhere"))


def evidence(kind: str, **more: str) -> tuple[dict, ...]:
    return ({"kind": kind, "detail": kind, **more},)


def support(kind: str = "symbolic", **rest) -> Check:
    return Check(Role.SUPPORT, evidence(kind), killed=3, mutants=3, **rest)


def as_stated(kind: str = "symbolic", **rest) -> Check:
    """A check of the statement that the inventory has in machine form."""
    return support(kind, scope=Scope.STATEMENT, **rest)


TABLE = SymbolTable({"x": Symbol("x", "x", Domain.POSITIVE, "a length")}, source="toy/symbols.toml")
REFUTED = Check(Role.REFUTATION, evidence("exact"), witness={"at": {"x": "2"}, "left": "4", "right": "5"})


def listed(*claims: Claim) -> Inventory:
    return Inventory({"toy": PaperInfo("toy", "A toy", (), {"1": "print"})}, {c.id: c for c in claims})


def claim(name: str, *rests_on: str, corrects: str | None = None, versions=("1",)) -> Claim:
    return Claim(name, "toy", "Lemma 1", "1", versions, "x = x", rests_on=rests_on, corrects=corrects)


def formal(name: str, *rests_on: str) -> Claim:
    """A claim that is a formula, in machine form."""
    stated = Statement.read("Eq((x + 1)**2, x**2 + 2*x + 1)", (), table=TABLE, source=name)
    return Claim(name, "toy", "Lemma 1", "1", ("1",), "a square", rests_on=rests_on, stated=stated)


def built(inventory: Inventory, **checks: Check | tuple[Check, ...]) -> Ledger:
    claims = {key: c if isinstance(c, tuple) else (c,) for key, c in checks.items()}
    return build(inventory, [DerivationResult("derivations/toy/a.py", claims)], PROJECT)


def test_the_fields_that_people_and_programs_read():
    entry = built(listed(claim("A")), A=support())["A"]
    wanted = {
        "id", "paper", "place", "versions", "statement", "verdict", "fully_verified", "evidence", "mutants",
        "rests_on", "corrected", "witness", "notebook",
    }
    assert wanted <= set(entry)
    assert entry["mutants"] == {"killed": 3, "total": 3}
    assert entry["corrected"] is None
    assert entry["witness"] is None
    assert entry["notebook"] == "notebooks/toy/a.ipynb"


def test_closed_means_all_that_it_rests_on():
    inventory = listed(formal("A", "B"), formal("B", "C"), formal("C"))
    found = built(inventory, A=as_stated(), B=as_stated())
    assert found["C"]["verdict"] == "unchecked"
    assert [found[name]["closed"] for name in "ABC"] == [False, False, False]
    assert found["A"]["waits_for"] == ["C"]
    whole = built(inventory, A=as_stated(), B=as_stated(), C=as_stated())["A"]
    assert whole["closed"]
    assert (whole["bound"], whole["basis"], whole["standing"]) == ("bound", "derived", "derived")


def test_a_check_beside_a_claim_in_prose_leaves_a_step_to_its_reader():
    found = built(listed(claim("A"), formal("B", "A")), A=support(), B=as_stated())
    assert (found["A"]["bound"], found["A"]["basis"], found["A"]["closed"]) == ("prose", "argued", False)
    assert (found["B"]["basis"], found["B"]["standing"], found["B"]["waits_for"]) == ("derived", "argued", ["A"])
    # A formula that no check takes from the inventory is as good as prose.
    assert built(listed(formal("A")), A=support())["A"]["bound"] == "prose"


def test_sampling_alone_does_not_settle_a_claim():
    found = built(listed(claim("A")), A=support("sampled"))
    assert found["A"]["verdict"] == "holds"
    assert found["A"]["waits_for"] == ["A"]


def test_argued_steps_of_the_whole_cone_are_listed():
    argued = Check(Role.SUPPORT, evidence("argued", name="Fubini"))
    found = built(listed(claim("A", "B"), claim("B")), A=support(), B=argued)
    assert found["A"]["argued"] == ["B: Fubini"]


def test_our_own_proof_adds_to_what_the_paper_rests_on_and_drops_only_what_it_names():
    inventory = listed(formal("A", "B"), formal("B"), formal("C"))
    rest = {"B": as_stated(), "C": as_stated()}
    assert built(inventory, A=as_stated(using=("C",)), **rest)["A"]["rests_on"] == ["B", "C"]
    replaced = built(inventory, A=as_stated(using=("C",), instead_of=("B",)), C=as_stated())["A"]
    assert replaced["rests_on"] == ["C"]
    assert replaced["closed"]


def test_what_leans_on_a_false_claim_stands_on_nothing():
    inventory = listed(formal("A", "B"), claim("B"), claim("B-corrected", corrects="B", versions=()))
    checks = {"B": REFUTED, "B-corrected": support()}
    found = built(inventory, A=as_stated(), **checks)["A"]
    assert (found["basis"], found["standing"], found["closed"]) == ("derived", "none", False)
    assert found["stands_on_false"] == ["A -> B"]
    mended = built(inventory, A=as_stated(instead_of=("B",)), **checks)["A"]
    assert (mended["standing"], mended["stands_on_false"]) == ("derived", [])


def test_a_cycle_through_our_own_proofs_is_found():
    inventory = listed(claim("A"), claim("B"))
    with pytest.raises(InventoryError, match="cycle"):
        built(inventory, A=support(using=("B",)), B=support(using=("A",)))


def test_a_false_claim_needs_a_corrected_one_that_stands():
    with pytest.raises(ContradictoryChecks, match="A is refuted, but no claim states"):
        built(listed(claim("A")), A=REFUTED)
    inventory = listed(claim("A"), claim("A-corrected", corrects="A", versions=()))
    with pytest.raises(ContradictoryChecks, match="A-corrected is unchecked"):
        built(inventory, A=REFUTED)
    found = built(inventory, **{"A": REFUTED, "A-corrected": support()})
    assert found["A"]["corrected"]["id"] == "A-corrected"
    assert found["A"]["witness"]["left"] == "4"
    assert [c["id"] for c in found.errata()] == ["A"]


def test_a_missing_hypothesis_needs_a_witness():
    with pytest.raises(ContradictoryChecks, match="A needs a hypothesis"):
        built(listed(claim("A")), A=support(given="a moment exists"))
    found = built(listed(claim("A")), A=(support(given="a moment exists"), REFUTED))
    assert found["A"]["verdict"] == "holds-if"
    assert found["A"]["missing_hypotheses"] == ["a moment exists"]


def test_a_gap_needs_a_step_that_fails():
    gap = Check(Role.GAP, (), gap_step="B")
    with pytest.raises(ContradictoryChecks, match="the gap is said to be B, whose verdict is holds"):
        built(listed(claim("A"), claim("B")), A=(support(), gap), B=support())


def test_a_claim_is_checked_in_one_place():
    results = [DerivationResult(f"derivations/toy/{name}.py", {"A": (support(),)}) for name in "ab"]
    with pytest.raises(ContradictoryChecks, match=r"A is checked in .*a\.py and again in .*b\.py"):
        build(listed(claim("A")), results, PROJECT)


def test_changes_against_the_committed_ledger_are_named():
    inventory = listed(claim("A"), claim("B"))
    before = built(inventory, A=(support(), support("exact")), B=support())
    assert differences(before, before) == []
    assert differences(before, built(inventory, A=(support(), support("exact")))) == [
        "B: the ledger says holds, now unchecked (it lost its check)"
    ]
    assert differences(before, built(inventory, A=support(), B=support())) == [
        "A lost a check: 2 pieces of evidence before, 1 now"
    ]
    assert differences(before, built(inventory, A=(support(), support("enclosed")), B=support())) == [
        "A: checks, evidence differ from the ledger"
    ]
    smaller = built(listed(claim("A")), A=(support(), support("exact")))
    assert differences(before, smaller) == ["B is in the ledger, but no claims.toml lists it any more"]
    assert differences(smaller, before) == ["B is not in the ledger yet (holds)"]


def test_unchecked_claims_are_named():
    found = built(listed(claim("A"), claim("B")), A=support())
    assert incomplete(found, ["toy"]) == ["B"]
    assert incomplete(found, ["other"]) == []


def test_text_and_back(tmp_path):
    found = built(listed(claim("A")), A=support())
    path = tmp_path / "ledger.json"
    path.write_text(found.to_text(), encoding="utf-8")
    assert Ledger.read(path).to_text() == found.to_text()


@pytest.mark.parametrize(("text", "message"), [(None, "no ledger"), ("{", "not a readable"), ("[]", "not a readable")])
def test_an_unreadable_ledger_is_named(tmp_path, text, message):
    path = tmp_path / "ledger.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(ledger.LedgerError, match=message):
        Ledger.read(path)
