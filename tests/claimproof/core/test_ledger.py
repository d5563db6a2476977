"""The ledger: what stands, what waits for what, and what changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimproof.core import ledger
from claimproof.core.inventory import Claim, Inventory, InventoryError, PaperInfo
from claimproof.core.ledger import DerivationResult, Ledger, build, differences, incomplete
from claimproof.core.project import Project
from claimproof.core.verdict import Check, ContradictoryChecks, Role

PROJECT = Project(Path("somewhere"))


def evidence(kind: str, **more: str) -> tuple[dict, ...]:
    return ({"kind": kind, "detail": kind, **more},)


def support(kind: str = "symbolic", **rest) -> Check:
    return Check(Role.SUPPORT, evidence(kind), killed=3, mutants=3, **rest)


REFUTED = Check(Role.REFUTATION, evidence("exact"), witness={"at": {"x": "2"}, "left": "4", "right": "5"})


def listed(*claims: Claim) -> Inventory:
    return Inventory({"toy": PaperInfo("toy", "A toy", (), {"1": "print"})}, {c.id: c for c in claims})


def claim(name: str, *rests_on: str, corrects: str | None = None, versions=("1",)) -> Claim:
    return Claim(name, "toy", "Lemma 1", "1", versions, "x = x", rests_on=rests_on, corrects=corrects)


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


def test_fully_verified_means_all_that_it_rests_on():
    inventory = listed(claim("A", "B"), claim("B", "C"), claim("C"))
    found = built(inventory, A=support(), B=support())
    assert found["C"]["verdict"] == "unchecked"
    assert [found[name]["fully_verified"] for name in "ABC"] == [False, False, False]
    assert found["A"]["waits_for"] == ["C"]
    assert built(inventory, A=support(), B=support(), C=support())["A"]["fully_verified"]


def test_sampling_alone_does_not_settle_a_claim():
    found = built(listed(claim("A")), A=support("sampled"))
    assert found["A"]["verdict"] == "holds"
    assert found["A"]["waits_for"] == ["A"]


def test_argued_steps_of_the_whole_cone_are_listed():
    argued = Check(Role.SUPPORT, evidence("argued", name="Fubini"))
    found = built(listed(claim("A", "B"), claim("B")), A=support(), B=argued)
    assert found["A"]["argued"] == ["B: Fubini"]


def test_our_own_proof_replaces_what_the_paper_rests_on():
    found = built(listed(claim("A", "B"), claim("B")), A=support(using=()))
    assert found["A"]["rests_on"] == []
    assert found["A"]["fully_verified"]


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
        "A: evidence differ from the ledger"
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
