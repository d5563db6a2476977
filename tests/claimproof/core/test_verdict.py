"""Verdicts follow from the roles of the checks alone."""

from __future__ import annotations

import pytest

from claimproof.core.evidence import Evidence, Kind
from claimproof.core.verdict import Check, ContradictoryChecks, Role, Verdict, verdict_of

EVIDENCE = ({"kind": "symbolic", "detail": "symbolic"},)
SUPPORT = Check(Role.SUPPORT, EVIDENCE)
CONDITIONAL = Check(Role.SUPPORT, EVIDENCE, given="a moment exists")
REFUTATION = Check(Role.REFUTATION, EVIDENCE, witness={"left": "1", "right": "2"})
MISPRINT = Check(Role.MISPRINT, EVIDENCE)
GAP = Check(Role.GAP, (), gap_step="B")
DEFINITION = Check(Role.DEFINITION, ())


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
    ],
)
def test_verdict(checks, verdict):
    assert verdict_of("A", checks) is verdict


@pytest.mark.parametrize(
    ("checks", "message"), [([SUPPORT, REFUTATION], "both confirmed and refuted"), ([GAP], "a gap needs a check")]
)
def test_contradictions_are_named(checks, message):
    with pytest.raises(ContradictoryChecks, match=f"A.*{message}"):
        verdict_of("A", checks)


@pytest.mark.parametrize("check", [SUPPORT, CONDITIONAL, REFUTATION, MISPRINT, GAP, DEFINITION])
def test_checks_survive_json(check):
    assert Check.from_json(check.to_json()) == check


def test_only_engines_make_evidence():
    with pytest.raises(TypeError, match=r"claimproof\.engines"):
        Evidence(Kind.SYMBOLIC, "symbolic", {})
