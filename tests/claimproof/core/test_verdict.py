"""Verdict and basis follow from the checks alone; each attack on the first version's logic stands here."""

from __future__ import annotations

import pytest

from claimproof.core.basis import Basis, Bound
from claimproof.core.evidence import Evidence, Kind
from claimproof.core.verdict import (
    FOLLOWS,
    UNSAID,
    Check,
    ContradictoryChecks,
    Role,
    Scope,
    Verdict,
    basis_of,
    bound_of,
    steps_to_read,
    verdict_of,
)


def evidence(kind: str = "symbolic", **more: object) -> tuple[dict[str, object], ...]:
    return ({"kind": kind, "detail": kind, **more},)


def support(kind: str = "symbolic", **rest: object) -> Check:
    return Check(Role.SUPPORT, evidence(kind), **rest)


SUPPORT = support()
STATED = support(scope=Scope.STATEMENT)
CONDITIONAL = support(given="a moment exists")
REFUTATION = Check(Role.REFUTATION, evidence("exact"), witness={"left": "1", "right": "2"})
REFUTED_AS_STATED = Check(Role.REFUTATION, evidence("exact"), scope=Scope.STATEMENT, instance="One page.")
MISPRINT = Check(Role.MISPRINT, evidence(), against=evidence("exact"))
TEXTUAL_SLIP = Check(Role.MISPRINT, evidence("textual", place="(3)"), printed="i", corrected="j")
GAP = Check(Role.GAP, (), gap_step="B")
DEFINITION = Check(Role.DEFINITION, ())
VACUOUS = Check(Role.SUPPORT, evidence(vacuous=True))
ARGUED = Check(Role.SUPPORT, evidence("argued", name="Fubini"))


def basis(*checks: Check, formula: bool = False, hypotheses: tuple[str, ...] = (), about_print: bool = False) -> Basis:
    verdict = verdict_of("A", checks)
    return basis_of(verdict, bound_of(verdict, formula, checks), hypotheses, checks, about_print)


@pytest.mark.parametrize(
    ("checks", "verdict"),
    [
        ([], Verdict.UNCHECKED),
        ([SUPPORT], Verdict.HOLDS),
        ([SUPPORT, CONDITIONAL], Verdict.HOLDS),
        ([CONDITIONAL], Verdict.HOLDS_IF),
        ([CONDITIONAL, REFUTATION], Verdict.HOLDS_IF),
        ([REFUTATION], Verdict.FALSE),
        ([MISPRINT], Verdict.MISPRINT),
        ([SUPPORT, MISPRINT], Verdict.MISPRINT),
        ([SUPPORT, GAP], Verdict.GAP),
        ([DEFINITION], Verdict.DEFINITION),
        ([VACUOUS], Verdict.UNCHECKED),
        ([VACUOUS, REFUTATION], Verdict.FALSE),
    ],
)
def test_verdict(checks, verdict):
    assert verdict_of("A", checks) is verdict


@pytest.mark.parametrize(
    ("checks", "message"),
    [
        ([SUPPORT, REFUTATION], "both confirmed and refuted"),
        ([GAP], "a gap needs a check"),
        ([GAP, CONDITIONAL], "a gap needs a check"),
        ([GAP, VACUOUS], "a gap needs a check"),
        ([DEFINITION, SUPPORT], "said to be a definition, and checked"),
        ([DEFINITION, REFUTATION], "said to be a definition, and checked"),
    ],
)
def test_contradictions_are_named(checks, message):
    with pytest.raises(ContradictoryChecks, match=f"A.*{message}"):
        verdict_of("A", checks)


@pytest.mark.parametrize(
    "check", [SUPPORT, STATED, CONDITIONAL, REFUTATION, REFUTED_AS_STATED, MISPRINT, TEXTUAL_SLIP, GAP, DEFINITION]
)
def test_checks_survive_json(check):
    assert Check.from_json(check.to_json()) == check


def test_only_engines_make_evidence():
    with pytest.raises(TypeError, match=r"claimproof\.engines"):
        Evidence(Kind.SYMBOLIC, "symbolic", {})


class TestASentenceInProse:
    """Goldbach's conjecture "checked" by (x + 1)² = x² + 2x + 1, and its relatives."""

    def test_an_identity_beside_it_is_for_a_person_to_join(self):
        assert basis(SUPPORT) is Basis.ARGUED
        assert steps_to_read(Verdict.HOLDS, Bound.PROSE, False, [SUPPORT]) == [UNSAID]

    def test_28_cases_are_instances(self):
        cases = support("exact", scope=Scope.INSTANCES)
        assert basis(cases) is Basis.INSTANCES
        assert basis(SUPPORT, cases) is Basis.INSTANCES

    def test_cases_that_are_said_to_be_all_are_for_a_person_to_believe(self):
        cases = support("exact", scope=Scope.CASES, because="sizes above two repeat")
        assert basis(cases) is Basis.ARGUED
        assert "these cases are all: sizes above two repeat" in steps_to_read(Verdict.HOLDS, Bound.PROSE, False, [cases])

    def test_words_of_the_print_settle_only_what_is_about_the_print(self):
        textual = support("textual")
        assert basis(textual) is Basis.ARGUED
        assert basis(textual, about_print=True) is Basis.TEXTUAL
        assert basis(textual, SUPPORT, about_print=True) is Basis.ARGUED

    def test_an_argument_is_an_argument(self):
        assert basis(ARGUED) is Basis.ARGUED
        follows = Check(Role.SUPPORT, evidence("argued", name=FOLLOWS))
        assert basis(SUPPORT, follows) is Basis.ARGUED
        assert steps_to_read(Verdict.HOLDS, Bound.PROSE, False, [SUPPORT, follows]) == [FOLLOWS]

    def test_a_rule_joins_but_its_conclusion_is_read_into_the_sentence(self):
        assert basis(support(scope=Scope.RULE, rule="Jensen")) is Basis.ARGUED

    def test_identical_sides_and_definitions_give_nothing(self):
        assert basis(VACUOUS) is Basis.NONE
        assert basis(DEFINITION) is Basis.NONE

    def test_a_relation_that_was_typed_refutes_no_sentence_by_itself(self):
        assert basis(REFUTATION) is Basis.ARGUED


class TestItsOwnEvidence:
    def test_one_part_does_not_settle_another(self):
        assert basis(SUPPORT, support("simulated")) is Basis.INSTANCES
        assert basis(SUPPORT, support("sampled")) is Basis.INSTANCES

    def test_a_second_line_lowers_nothing_and_settles_nothing(self):
        second = support("simulated", scope=Scope.SECOND_LINE)
        assert basis(SUPPORT, second) is Basis.ARGUED
        assert basis(second) is Basis.INSTANCES
        assert basis(support("exact", scope=Scope.SECOND_LINE)) is Basis.INSTANCES

    def test_a_refutation_says_nothing_for_the_form_under_a_hypothesis(self):
        weak = support("sampled", given="a moment exists")
        assert basis(REFUTED_AS_STATED, weak, formula=True) is Basis.INSTANCES
        stated = support(given="a moment exists", scope=Scope.STATEMENT)
        assert basis(REFUTED_AS_STATED, stated, formula=True) is Basis.DERIVED
        assert basis(REFUTATION, stated, formula=True) is Basis.ARGUED

    def test_a_witness_against_the_print_says_nothing_for_the_correction(self):
        unsupported = Check(Role.MISPRINT, evidence(vacuous=True), against=evidence("exact"))
        assert basis(unsupported) is Basis.NONE
        assert basis(Check(Role.MISPRINT, evidence(), against=())) is Basis.ARGUED
        assert basis(MISPRINT) is Basis.ARGUED

    def test_what_should_stand_there_is_for_a_person_unless_the_sentence_is_about_the_print(self):
        assert basis(TEXTUAL_SLIP) is Basis.ARGUED
        assert basis(TEXTUAL_SLIP, about_print=True) is Basis.TEXTUAL

    def test_every_slip_counts(self):
        assert basis(TEXTUAL_SLIP, Check(Role.MISPRINT, evidence(vacuous=True), against=evidence("exact"))) is Basis.NONE

    def test_what_holds_under_a_hypothesis_does_not_settle_what_holds_without(self):
        assert basis(support("sampled"), support(given="g", scope=Scope.STATEMENT), formula=True) is Basis.INSTANCES


class TestAsStated:
    def test_the_statement_itself_is_derived(self):
        assert basis(STATED, formula=True) is Basis.DERIVED
        assert basis(support("sampled", scope=Scope.STATEMENT), formula=True) is Basis.INSTANCES

    def test_steps_beside_it_lower_nothing_unless_a_person_has_to_read_them(self):
        assert basis(STATED, SUPPORT, support("simulated"), formula=True) is Basis.DERIVED
        assert basis(STATED, ARGUED, formula=True) is Basis.ARGUED

    def test_all_parts_are_needed(self):
        first, second = (support(scope=Scope.STATEMENT, part=(k, 2)) for k in (1, 2))
        assert bound_of(Verdict.HOLDS, True, [first]) is Bound.IN_PART
        assert bound_of(Verdict.HOLDS, True, [first, second]) is Bound.BOUND
        assert basis(first, formula=True) is Basis.ARGUED
        assert basis(first, second, formula=True) is Basis.DERIVED

    def test_a_step_binds_nothing(self):
        assert bound_of(Verdict.HOLDS, True, [SUPPORT]) is Bound.PROSE
        assert basis(SUPPORT, formula=True) is Basis.ARGUED

    def test_both_sides_of_a_missing_hypothesis_are_bound(self):
        stated = support(given="g", scope=Scope.STATEMENT)
        assert bound_of(Verdict.HOLDS_IF, True, [REFUTED_AS_STATED, stated]) is Bound.BOUND
        assert bound_of(Verdict.HOLDS_IF, True, [REFUTED_AS_STATED, CONDITIONAL]) is Bound.IN_PART
        assert bound_of(Verdict.HOLDS_IF, True, [REFUTATION, CONDITIONAL]) is Bound.PROSE

    def test_a_misprint_as_stated(self):
        slip = Check(Role.MISPRINT, evidence(), against=evidence("exact"), scope=Scope.STATEMENT)
        assert bound_of(Verdict.MISPRINT, True, [slip]) is Bound.BOUND
        assert basis(slip, SUPPORT, formula=True) is Basis.DERIVED


class TestHypothesesAtTheWitness:
    WORDS = ("gaps are independent", "rates are positive")

    def test_every_hypothesis_of_the_inventory_is_evaluated_or_its_reason_is_read(self):
        def refuted(**rest: object) -> Basis:
            check = Check(Role.REFUTATION, evidence("exact"), scope=Scope.STATEMENT, **rest)
            return basis(check, formula=True, hypotheses=self.WORDS)

        assert refuted() is Basis.NONE
        assert refuted(hypotheses=1) is Basis.NONE
        assert refuted(hypotheses=2) is Basis.REFUTED
        assert refuted(hypotheses=1, meets={self.WORDS[0]: "there is one gap"}) is Basis.ARGUED
        assert refuted(meets=dict.fromkeys(self.WORDS, "one page")) is Basis.ARGUED

    def test_reasons_are_among_the_steps_to_read(self):
        check = Check(Role.REFUTATION, evidence("exact"), meets={self.WORDS[0]: "there is one gap"})
        assert "at the witness, gaps are independent: there is one gap" in steps_to_read(
            Verdict.FALSE, Bound.PROSE, False, [check]
        )

    def test_the_printed_form_of_a_misprint_too(self):
        assert basis(MISPRINT, hypotheses=self.WORDS) is Basis.NONE

    def test_one_good_witness_is_enough(self):
        assert basis(REFUTATION, REFUTED_AS_STATED, formula=True) is Basis.REFUTED
