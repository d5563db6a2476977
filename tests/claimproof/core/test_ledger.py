"""The ledger: what stands, on what, what waits for what, and what changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from claimproof.core import entries, ledger
from claimproof.core.basis import Basis, Bound
from claimproof.core.evidence import Kind
from claimproof.core.inventory import Claim, Inventory, InventoryError, PaperInfo
from claimproof.core.ledger import DerivationResult, Ledger, build, differences, incomplete
from claimproof.core.project import Project
from claimproof.core.statement import Statement
from claimproof.core.symbols import SymbolTable
from claimproof.core.verdict import UNSAID, Check, ContradictoryChecks, Role, Scope, Verdict

PROJECT = Project(Path("somewhere"))
STATEMENT = Statement.read("Eq(1, 1)", table=SymbolTable({}, source="toy"))


def evidence(kind: str, **more: Any) -> tuple[dict, ...]:
    return ({"kind": kind, "detail": kind, **more},)


def support(kind: str = "symbolic", **rest) -> Check:
    """A check of the statement itself."""
    return Check(Role.SUPPORT, evidence(kind), killed=3, mutants=3, **{"scope": Scope.STATEMENT} | rest)


def step(kind: str = "symbolic", **rest) -> Check:
    return support(kind, **{"scope": Scope.STEP} | rest)


REFUTED = Check(
    Role.REFUTATION, evidence("exact"), scope=Scope.STATEMENT, instance="Two pages.",
    witness={"at": {"x": "2"}, "asserted": "x**2 == 5", "left": "4", "right": "5"},
)


def listed(*claims: Claim) -> Inventory:
    return Inventory({"toy": PaperInfo("toy", "A toy", (), {"1": "print"})}, {c.id: c for c in claims})


def claim(name: str, *rests_on: str, corrects: str | None = None, versions=("1",), **rest) -> Claim:
    return Claim(name, "toy", "Lemma 1", "1", versions, "x = x", rests_on=rests_on, corrects=corrects,
                 **{"stated": STATEMENT} | rest)


def built(inventory: Inventory, **checks: Check | tuple[Check, ...]) -> Ledger:
    claims = {key: c if isinstance(c, tuple) else (c,) for key, c in checks.items()}
    return build(inventory, [DerivationResult("derivations/toy/a.py", claims)], PROJECT)


def test_the_fields_that_people_and_programs_read():
    entry = built(listed(claim("A")), A=support(file="toy/a.py", line=7, cell=2, formula="Eq(1, 1)", latex="1 = 1"))["A"]
    first_version = {
        "id", "paper", "place", "section", "versions", "statement", "hypotheses", "headline", "printed", "verdict",
        "fully_verified", "waits_for", "argued", "missing_hypotheses", "gap_steps", "evidence", "mutants", "rests_on",
        "corrects", "corrected", "witness", "derivation", "notebook", "functions",
    }
    assert first_version | {"basis", "standing", "closed", "bound", "checks"} <= set(entry)
    assert entry["mutants"] == {"killed": 3, "total": 3}
    assert entry["corrected"] is None
    assert entry["witness"] is None
    assert entry["notebook"] == "notebooks/toy/a.ipynb"
    assert (entry["basis"], entry["standing"], entry["closed"], entry["bound"]) == ("derived", "derived", True, "bound")
    (check,) = entry["checks"]
    told = {"kind": "symbolic", "scope": "statement", "file": "toy/a.py", "line": 7, "formula": "Eq(1, 1)", "latex": "1 = 1"}
    assert told.items() <= check.items()


class TestStanding:
    def test_closed_means_all_that_it_rests_on(self):
        inventory = listed(claim("A", "B"), claim("B", "C"), claim("C"))
        found = built(inventory, A=support(), B=support())
        assert found["C"]["verdict"] == "unchecked"
        assert [found[name]["closed"] for name in "ABC"] == [False, False, False]
        assert found["A"]["waits_for"] == ["C"]
        assert (found["A"]["basis"], found["A"]["standing"]) == ("derived", "none")
        closed = built(inventory, A=support(), B=support(), C=support())["A"]
        assert closed["closed"]
        assert closed["fully_verified"]

    def test_standing_is_the_weakest_of_the_cone(self):
        inventory = listed(claim("A", "B"), claim("B"))
        for check, standing in ((step(), "argued"), (support("sampled"), "instances"), (support(), "derived")):
            assert built(inventory, A=support(), B=check)["A"]["standing"] == standing

    def test_sampling_alone_does_not_settle_a_claim(self):
        found = built(listed(claim("A")), A=support("sampled"))
        assert found["A"]["verdict"] == "holds"
        assert found["A"]["waits_for"] == ["A"]

    def test_definitions_weigh_nothing(self):
        found = built(listed(claim("A", "B"), claim("B")), A=support(), B=Check(Role.DEFINITION, ()))
        assert found["A"]["closed"]
        assert found["A"]["standing"] == "derived"

    def test_steps_of_the_whole_cone_are_listed(self):
        argued = Check(Role.SUPPORT, evidence("argued", name="Fubini"))
        found = built(listed(claim("A", "B"), claim("B")), A=support(), B=argued)
        assert found["A"]["argued"] == ["B: Fubini", f"B: {UNSAID}"]

    def test_goldbach_by_an_identity(self):
        prose = claim("A", stated=None)
        for checks in ((step(),), (step(), step("exact", scope=Scope.INSTANCES)), (step("textual"),)):
            found = built(listed(prose), A=checks)["A"]
            assert found["bound"] == "prose"
            assert not found["closed"]
            assert found["basis"] in ("argued", "instances")


class TestEdges:
    def test_using_adds_to_what_the_paper_rests_on(self):
        found = built(listed(claim("A", "B"), claim("B"), claim("C")), A=support(using=("C",)), C=support())
        assert found["A"]["rests_on"] == ["B", "C"]
        assert found["A"]["waits_for"] == ["B"]

    def test_an_edge_is_dropped_by_name_only(self):
        inventory = listed(claim("A", "B"), claim("B"))
        assert built(inventory, A=support(using=()))["A"]["rests_on"] == ["B"]
        found = built(inventory, A=support(instead_of=("B",)))
        assert found["A"]["rests_on"] == []
        assert found["A"]["closed"]
        assert found["A"]["checks"][0]["instead_of"] == ["B"]

    @pytest.mark.parametrize(
        ("checks", "message"),
        [
            ((support(instead_of=("C",)),), "instead_of= names C, on which it does not rest"),
            ((support(instead_of=("B",)), step(using=("B",))), "B is in using= and in instead_of="),
            ((support(), step("exact", scope=Scope.SECOND_LINE, instead_of=("B",))), "settles nothing stands instead_of= B"),
            ((support(), Check(Role.SUPPORT, evidence("exact", vacuous=True), instead_of=("B",))), "settles nothing"),
        ],
    )
    def test_an_edge_is_not_dropped_by_what_bears_nothing(self, checks, message):
        with pytest.raises(ContradictoryChecks, match=f"A: .*{message}"):
            built(listed(claim("A", "B"), claim("B"), claim("C")), A=checks, B=support(), C=support())

    def test_what_leans_on_a_false_claim_stands_on_nothing_and_the_edge_is_named(self):
        inventory = listed(claim("T", "A"), claim("A", "B"), claim("B"), claim("B2", corrects="B", versions=()))
        found = built(inventory, T=support(), A=support(), B=REFUTED, B2=support())
        for name in "TA":
            assert (found[name]["basis"], found[name]["standing"], found[name]["closed"]) == ("derived", "none", False)
            assert found[name]["stands_on_false"] == ["A -> B"]
        found = built(inventory, T=support(), A=support(instead_of=("B",), using=("B2",)), B=REFUTED, B2=support())
        assert found["T"]["closed"]
        assert found["T"]["stands_on_false"] == []

    def test_a_cycle_through_our_own_proofs_is_found(self):
        inventory = listed(claim("A"), claim("B"))
        with pytest.raises(InventoryError, match="cycle"):
            built(inventory, A=support(using=("B",)), B=support(using=("A",)))


class TestNotAsPrinted:
    INVENTORY = listed(claim("A", "C"), claim("A2", corrects="A", versions=()), claim("C"))

    def test_a_false_claim_needs_a_corrected_one_that_is_supported(self):
        with pytest.raises(ContradictoryChecks, match="A is refuted, but no claim states"):
            built(listed(claim("A")), A=REFUTED)
        for correction, message in (
            ((), "A2 is unchecked"), (Check(Role.DEFINITION, ()), "A2 is definition"),
            (step("exact"), None),
            (Check(Role.MISPRINT, evidence("exact", vacuous=True), against=evidence("exact")), "nothing supports its corrected form A2"),
        ):
            if message is None:
                assert built(self.INVENTORY, A=REFUTED, A2=correction)["A"]["corrected"]["id"] == "A2"
            else:
                with pytest.raises(ContradictoryChecks, match=message):
                    built(self.INVENTORY, A=REFUTED, A2=correction)

    def test_a_refuted_claim_waits_for_nothing(self):
        found = built(self.INVENTORY, A=REFUTED, A2=support())
        assert found["C"]["verdict"] == "unchecked"
        assert (found["A"]["basis"], found["A"]["closed"], found["A"]["waits_for"]) == ("refuted", True, [])
        assert found["A"]["rests_on"] == []
        assert found["A"]["witness"]["left"] == "4"
        assert found["A"]["checks"][0]["instance"] == "Two pages."
        assert [c["id"] for c in found.errata()] == ["A"]

    def test_but_for_what_the_refutation_itself_uses(self):
        using = Check(Role.REFUTATION, evidence("exact"), scope=Scope.STATEMENT, using=("C",))
        assert built(self.INVENTORY, A=using, A2=support())["A"]["waits_for"] == ["C"]

    def test_a_missing_hypothesis_needs_a_witness(self):
        with pytest.raises(ContradictoryChecks, match="A needs a hypothesis"):
            built(listed(claim("A")), A=support(given="a moment exists"))
        found = built(listed(claim("A")), A=(support(given="a moment exists"), REFUTED))
        assert found["A"]["verdict"] == "holds-if"
        assert found["A"]["missing_hypotheses"] == ["a moment exists"]

    def test_a_gap_needs_a_step_that_fails(self):
        gap = Check(Role.GAP, (), gap_step="B", because="the integral diverges")
        with pytest.raises(ContradictoryChecks, match="the gap is said to be B, whose verdict is holds"):
            built(listed(claim("A"), claim("B")), A=(support(), gap), B=support())

    def test_a_gap_keeps_its_reason_and_does_without_the_step(self):
        gap = Check(Role.GAP, (), gap_step="B", because="the integral diverges")
        inventory = listed(claim("A", "B"), claim("B"), claim("B2", corrects="B", versions=()))
        found = built(inventory, A=(support(), gap), B=REFUTED, B2=support())
        assert found["A"]["verdict"] == "gap"
        assert found["A"]["gaps"] == [{"step": "B", "because": "the integral diverges"}]
        assert found["A"]["closed"]
        # The weaker of our support and the refutation of the step counts.
        typed = Check(Role.REFUTATION, evidence("exact"))
        found = built(inventory, A=(support(), gap), B=typed, B2=support())
        assert (found["B"]["basis"], found["A"]["basis"]) == ("argued", "argued")

    def test_every_slip_of_a_misprint_is_kept(self):
        def slip(printed: str, corrected: str, **rest) -> Check:
            return Check(Role.MISPRINT, evidence("symbolic"), against=evidence("exact"), printed=printed, corrected=corrected, **rest)

        textual = Check(Role.MISPRINT, evidence("textual", place="below (3)"), printed="i", corrected="j")
        found = built(listed(claim("A")), A=(slip("x", "y", instance="At x = 2."), slip("u", "v"), textual))["A"]
        assert [(s["printed"], s["corrected"]) for s in found["slips"]] == [("x", "y"), ("u", "v"), ("i", "j")]
        assert found["slips"][0]["instance"] == "At x = 2."
        assert found["slips"][2]["place"] == "below (3)"
        assert [e["kind"] for e in found["evidence"]] == ["exact", "symbolic", "exact", "symbolic", "textual"]


def test_a_claim_is_checked_in_one_place():
    results = [DerivationResult(f"derivations/toy/{name}.py", {"A": (support(),)}) for name in "ab"]
    with pytest.raises(ContradictoryChecks, match=r"A is checked in .*a\.py and again in .*b\.py"):
        build(listed(claim("A")), results, PROJECT)


class TestDifferences:
    INVENTORY = listed(claim("A"), claim("B"))
    BEFORE = built(INVENTORY, A=(support(line=3), support("exact")), B=support())

    def test_none(self):
        assert differences(self.BEFORE, self.BEFORE) == []

    @pytest.mark.parametrize(
        ("now", "line"),
        [
            ({"B": ()}, "B: the ledger says holds, now unchecked (it lost its check)"),
            ({"A": support(line=3)}, "A lost a check: 2 before, 1 now"),
            ({"A": (support(line=3), support("enclosed"))}, "A: checks, evidence differ from the ledger"),
            ({"B": step()}, "B: holds was derived, now argued"),
            ({"A": (support(line=9), support("exact"))}, "the checks of 1 claims moved to other lines: A"),
            ({"A": (support(line=3, formula="Eq(2, 2)"), support("exact"))}, "A: checks differ from the ledger"),
        ],
    )
    def test_one(self, now, line):
        checks = {"A": (support(line=3), support("exact")), "B": support()} | now
        assert differences(self.BEFORE, built(self.INVENTORY, **checks)) == [line]

    def test_claims_that_come_and_go(self):
        smaller = built(listed(claim("A")), A=(support(line=3), support("exact")))
        assert differences(self.BEFORE, smaller) == ["B is in the ledger, but no claims.toml lists it any more"]
        assert differences(smaller, self.BEFORE) == ["B is not in the ledger yet (holds, derived)"]


class TestAPart:
    """Only some derivations are run: the rest comes from the committed ledger."""

    INVENTORY = listed(claim("A", "B"), claim("B"), claim("C", "A"))

    def results(self, **checks: Check) -> list[DerivationResult]:
        return [DerivationResult(f"derivations/toy/{key}.py", {key: (check,)}) for key, check in checks.items()]

    def test_a_part_of_the_run_gives_what_the_whole_gives(self):
        whole = build(self.INVENTORY, self.results(A=support(), B=step(), C=support()), PROJECT)
        for key, check in (("A", support()), ("B", step()), ("C", support())):
            part = build(self.INVENTORY, self.results(**{key: check}), PROJECT, whole)
            assert part.to_text() == whole.to_text()

    def test_what_depends_on_it_is_seen(self):
        whole = build(self.INVENTORY, self.results(A=support(), B=support(), C=support()), PROJECT)
        part = build(self.INVENTORY, self.results(B=step()), PROJECT, whole)
        assert [part[name]["standing"] for name in "ABC"] == ["argued"] * 3
        assert part["C"]["argued"] == [f"B: {UNSAID}"]

    def test_a_lost_claim_is_noticed(self):
        whole = build(self.INVENTORY, self.results(A=support(), B=support(), C=support()), PROJECT)
        part = build(self.INVENTORY, [DerivationResult("derivations/toy/B.py", {})], PROJECT, whole)
        assert part["B"]["verdict"] == "unchecked"
        assert part["A"]["verdict"] == "holds"

    def test_entries_are_replaced_in_their_order(self):
        whole = build(self.INVENTORY, self.results(A=support(), C=support()), PROJECT)
        lacking = Ledger((whole["C"],))
        assert [c["id"] for c in lacking.with_part(whole, {"A"}, self.INVENTORY.claims).claims] == ["A", "C"]
        assert [c["id"] for c in whole.with_part(lacking, {"A", "B"}, self.INVENTORY.claims).claims] == ["C"]


def test_unchecked_claims_are_named():
    found = built(listed(claim("A"), claim("B")), A=support())
    assert incomplete(found, ["toy"]) == ["B"]
    assert incomplete(found, ["other"]) == []


def some_ledger() -> Ledger:
    inventory = listed(
        claim("A", headline="squares"), claim("B"), claim("B2", corrects="B", versions=()), claim("C", stated=None), claim("D")
    )
    misprint = Check(Role.MISPRINT, evidence("textual", place="(3)"), printed="i", corrected="j")
    return built(inventory, A=support(file="toy/a.py", line=3, cell=1, part=(1, 1)), B=REFUTED, B2=step(), C=misprint)


class TestText:
    def test_and_back(self, tmp_path):
        found = some_ledger()
        path = tmp_path / "ledger.json"
        path.write_text(found.to_text(), encoding="utf-8")
        assert Ledger.read(path).to_text() == found.to_text()
        assert len(found.sha256) == 64

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (None, "no ledger"), ("{", "not a readable"), ("[]", "no list of claims"), ('{"claims": 3}', "no list of claims"),
            ('{"claims": []}', "version 1, this claimproof reads 2"),
            ('{"claims": [], "ledger_version": 2}', "'package' is None"),
            ('{"claims": [3], "ledger_version": 2, "package": ""}', "claim number 1 is no object"),
            ('{"claims": [{"id": "A"}], "ledger_version": 2, "package": ""}', "claim A has no 'paper'"),
        ],
    )
    def test_an_unreadable_ledger_is_named(self, tmp_path, text, message):
        path = tmp_path / "ledger.json"
        if text is not None:
            path.write_text(text, encoding="utf-8")
        with pytest.raises(ledger.LedgerError, match=message):
            Ledger.read(path)

    def test_a_check_that_misses_something_is_named(self):
        data = json.loads(some_ledger().to_text())["claims"]
        del data[0]["checks"][0]["scope"]
        assert entries.misshapen(data) == "a check of claim A has no 'scope'"


class TestSchema:
    SCHEMA = json.loads(ledger.SCHEMA.read_text(encoding="utf-8"))

    def test_a_ledger_is_of_it(self):
        jsonschema.Draft202012Validator.check_schema(self.SCHEMA)
        jsonschema.validate(json.loads(some_ledger().to_text()), self.SCHEMA)

    @pytest.mark.parametrize(
        ("place", "value"),
        [
            (("claims", 0, "verdict"), "proved"), (("claims", 0, "basis"), "certain"), (("claims", 0, "colour"), "red"),
            (("claims", 0, "checks", 0, "scope"), "all"), (("claims", 0, "checks", 0, "line"), "3"), (("ledger_version",), 1),
            (("claims", 0, "mutants", "killed"), -1),
        ],
    )
    def test_anything_else_is_not(self, place, value):
        data = json.loads(some_ledger().to_text())
        inner = data
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = value
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(data, self.SCHEMA)

    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("claim", entries.ClaimEntry), ("check", entries.CheckEntry), ("slip", entries.Slip), ("gap", entries.Gap),
            ("witness", entries.Witness), ("mutants", entries.Tally), ("corrected", entries.Corrected),
        ],
    )
    def test_it_has_the_fields_of_the_types(self, name, kind):
        told = self.SCHEMA["$defs"][name]
        assert list(told["properties"]) == list(kind.__annotations__) == told["required"]
        assert told["additionalProperties"] is False

    @pytest.mark.parametrize(
        ("name", "values"),
        [("verdict", Verdict), ("basis", Basis), ("bound", Bound), ("scope", Scope), ("role", Role), ("kind", Kind)],
    )
    def test_it_has_the_words_of_the_sets(self, name, values):
        assert self.SCHEMA["$defs"][name]["enum"] == [value.value for value in values]
