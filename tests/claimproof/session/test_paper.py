"""What a derivation can say of a claim in prose, without a symbol table: each check confirms, records, refuses."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

from claimproof.core.evidence import CheckFailed, Evidence, HandMadeEvidence, Kind
from claimproof.core.inventory import InventoryError
from claimproof.core.verdict import ContradictoryChecks, Role, Scope
from claimproof.session.paper import CheckedClaim, MutantSurvived, Paper, Proof

x, y = sp.symbols("x y", positive=True)
ONE = sp.Integer(1)


@pytest.fixture
def last(recorder):
    """The check that was recorded last, and nothing when a check refused."""
    return lambda: recorder.records["TOY-1"].checks[-1]


def refuses(recorder, message: str, error: type[Exception] = CheckFailed):
    """A refusal names the claim, and leaves no record behind."""

    class Refusal:
        def __enter__(self):
            self.raised = pytest.raises(error, match=message)
            self.info = self.raised.__enter__()

        def __exit__(self, *outcome):
            caught = self.raised.__exit__(*outcome)
            if issubclass(error, CheckFailed):
                assert str(self.info.value).startswith("TOY-1")
            assert recorder.records == {}
            assert recorder.exports == []
            return caught

    return Refusal()


# A paper and its claims


def test_a_paper_knows_its_claims(prose, paper):
    assert paper.claim("TOY-1").claim.hypotheses == ("the side is not empty",)
    with pytest.raises(InventoryError, match="no paper 'other'"):
        Paper("other", prose)
    with pytest.raises(InventoryError, match="unknown claim 'TOY-9'"):
        paper.claim("TOY-9")


def test_papers_share_no_records(prose):
    one, other = Paper("toy", prose), Paper("toy", prose)
    one.claim("TOY-1").definition()
    assert list(one.recorder.records) == ["TOY-1"]
    assert other.recorder.records == {}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("equal", ["lhs", "rhs", "where", "sample", "corners", "using", "given"]),
        ("limit", ["expression", "variable", "point", "value", "direction", "using", "given"]),
        ("series", ["expression", "variable", "point", "order", "expansion", "using", "given"]),
        ("inequality", ["relation", "on", "zeros", "tail", "where", "using", "given", "max_boxes"]),
        ("exact", ["lhs", "rhs", "using", "given"]),
        ("simulated", ["simulate", "expected", "seed", "runs", "what", "using", "given"]),
        ("argued", ["name", "why", "using", "given"]),
        ("textual", ["version", "place", "words", "should_be", "using"]),
        ("refute", ["asserted", "witness", "hypotheses", "using"]),
        ("misprint", ["lhs", "printed", "corrected", "witness", "where", "sample", "corners", "using"]),
        ("gap", ["step", "because"]),
        ("definition", []),
    ],
)
def test_calls_are_written_as_they_always_were(name, parameters):
    """What is new is keyword-only and may be left out."""
    signature = inspect.signature(getattr(CheckedClaim, name)).parameters
    kept = [parameter for parameter in signature if parameter in parameters]
    assert kept == parameters
    added = [p for key, p in signature.items() if key not in (*parameters, "self")]
    assert all(p.kind is p.KEYWORD_ONLY and p.default is not p.empty for p in added)


# Checks that confirm


def test_equal(claim, recorder, last, capsys):
    proof = claim.equal((x + 1) ** 2, x**2 + 2 * x + 1)
    assert isinstance(proof, Proof)
    assert proof.verified == x**2 + 2 * x + 1
    assert capsys.readouterr().out == "TOY-1  holds  symbolic (expand) · sampled 64/64 at 60 digits · mutants killed 14/14\n"
    assert (last().role, last().scope, last().of) == (Role.SUPPORT, Scope.STEP, "(x + 1)**2 = x**2 + 2*x + 1")
    assert last().file == "session/test_paper.py"
    assert last().killed == last().mutants > 0


def test_equal_refuses(claim, recorder):
    with refuses(recorder, "false at x ="):
        claim.equal((x + 1) ** 2, x**2 + 2 * x + 2)
    with refuses(recorder, "were met by none"):
        claim.equal(x, x + 0 * y, where=[x < 1, x > 2])
    with refuses(recorder, "unknown claim 'TOY-9'", InventoryError):
        claim.equal((x + 1) ** 2, x**2 + 2 * x + 1, using=["TOY-9"])


def test_limit(claim, last):
    claim.limit(sp.sin(x) / x, x, 0, 1)
    assert [e["kind"] for e in last().evidence] == ["symbolic", "sampled"]


def test_limit_refuses(claim, recorder):
    with refuses(recorder, "stays"):
        claim.limit(sp.sin(x) / x, x, 0, 2)
    with refuses(recorder, "direction|one side"):
        claim.limit(sp.sin(x) / x, x, 0, 1, direction="up")


def test_series(claim, last):
    claim.series(sp.exp(x), x, 0, 3, 1 + x + x**2 / 2)
    assert last().of == "exp(x) = x**2/2 + x + 1 + O((x - 0)^3)"


def test_series_refuses(claim, recorder):
    with refuses(recorder, "1/2 against 1"):
        claim.series(sp.exp(x), x, 0, 3, 1 + x + x**2)
    with refuses(recorder, "order"):
        claim.series(sp.exp(x), x, 0, 0, ONE)


def test_inequality(claim, last):
    claim.inequality(sp.exp(x) > 1 + x, on={x: (0, 4)}, zeros={x: (0, 2)})
    assert [e["kind"] for e in last().evidence] == ["enclosed"]
    assert last().formula == "exp(x) > 1 + x"


def test_inequality_refuses(claim, recorder):
    with refuses(recorder, "false: at x ="):
        claim.inequality(sp.exp(x) < 1 + x, on={x: (0, 4)}, zeros={x: (0, 2)})
    with refuses(recorder, "already True under the declared assumptions"):
        claim.inequality(x > 0, on={x: (0, 4)})


def test_exact(claim, last):
    claim.exact([fmpq(1, 2) + fmpq(1, 3), fmpq(2)], [fmpq(5, 6), fmpq(2)])
    assert last().evidence[0]["field"] == "Q"
    assert last().killed == last().mutants >= 4


def test_exact_refuses(claim, recorder):
    with refuses(recorder, "entry 1"):
        claim.exact([fmpq(1), fmpq(2)], [fmpq(1), fmpq(3)])
    with refuses(recorder, "different shapes"):
        claim.exact([fmpq(1), fmpq(2)], [fmpq(1)])
    with refuses(recorder, "vacuous"):
        claim.exact([], [])


def _uniform(rng: np.random.Generator, runs: int) -> np.ndarray:
    return rng.random(runs)


def test_simulated(claim, last):
    claim.simulated(_uniform, 0.5, seed=3, runs=200_000, what="a uniform number")
    assert last().evidence[0]["kind"] == "simulated"
    assert last().basis.value == "instances"


def test_simulated_refuses(claim, recorder):
    with refuses(recorder, "standard errors"):
        claim.simulated(_uniform, 0.51, seed=3, runs=200_000)
    with refuses(recorder, "can't see"):
        claim.simulated(_uniform, 0.5, seed=3, runs=1_000)


def test_argued(claim, last):
    claim.argued("Fubini", "the integrand is not negative, so that the order is free")
    assert last().because == "the integrand is not negative, so that the order is free"
    assert last().basis.value == "argued"


def test_argued_refuses(claim, recorder):
    with refuses(recorder, "a name and its argument"):
        claim.argued("Fubini", "as is clear")


def test_follows(claim, last):
    claim.follows(because="the two cases above are the only ones")
    assert last().basis.value == "argued"


def test_exhaustive_and_instances(claim, last):
    wrong = {"one less": lambda n: n**2 < 16}
    claim.exhaustive(range(5), lambda n: n**2 < 17, because="a side has at most four", what="squares", wrong=wrong)
    assert (last().scope, last().basis.value) == (Scope.CASES, "derived")
    claim.instances(range(5), lambda n: n**2 < 17, what="squares", wrong=wrong)
    assert (last().scope, last().basis.value) == (Scope.INSTANCES, "instances")


def test_exhaustive_refuses(claim, recorder):
    right = {"what": "squares", "wrong": {"one less": lambda n: n < 4}}
    with refuses(recorder, "why these cases are all"):
        claim.exhaustive(range(5), lambda n: n < 5, because="all", **right)
    with refuses(recorder, "squares"):
        claim.instances(range(5), lambda n: n != 3, **right)
    with refuses(recorder, "at least one wrong variant"):
        claim.instances(range(5), lambda n: n < 5, what="squares", wrong={})
    with refuses(recorder, "same", MutantSurvived):
        claim.instances(range(5), lambda n: n < 5, what="squares", wrong={"subtle": lambda n: n < 4, "same": lambda n: n < 6})


def test_given_is_a_hypothesis_that_the_paper_leaves_out(claim, last, capsys):
    claim.equal((x + 1) ** 2, x**2 + 2 * x + 1, given="the side is positive")
    assert last().given == "the side is positive"
    assert capsys.readouterr().out.startswith("TOY-1  holds-if  ")


# Facts about the print, and what is wrong with it


def test_textual(claim, last):
    claim.textual(version="1997", place="p. 3", words="the mean waiting time")
    assert (last().role, last().basis.value) == (Role.SUPPORT, "textual")
    claim.textual(version="1999", place="p. 4", words="teh mean", should_be="the mean")
    assert (last().role, last().printed, last().corrected) == (Role.MISPRINT, "teh mean", "the mean")


def test_textual_refuses(claim, recorder):
    for wrong, message in (
        ({"version": "2011"}, "unknown version '2011'"), ({"place": " "}, "needs a version, a place and the words"),
        ({"words": "one two three four five six seven eight nine"}, "quotes 9 words; at most 8"),
        ({"should_be": "a few words"}, "equal the printed ones"),
    ):
        with refuses(recorder, message):
            claim.textual(**({"version": "1997", "place": "p. 3", "words": "a few words"} | wrong))


def test_refute(claim, last, capsys):
    claim.refute(x**2 > x, witness={x: sp.Rational(1, 2)}, hypotheses=[x > 0], instance="A side of one half.")
    assert (last().role, last().instance, last().hypotheses) == (Role.REFUTATION, "A side of one half.", 1)
    assert last().witness == {"at": {"x": "1/2"}, "asserted": "x**2 > x", "left": "1/4 = 0.25", "right": "1/2 = 0.5"}
    assert capsys.readouterr().out.startswith("TOY-1  false  ")


def test_refute_refuses(claim, recorder):
    with refuses(recorder, "not refuted: .* is true at x = 2"):
        claim.refute(x**2 > x, witness={x: 2})
    with refuses(recorder, "does not certainly meet"):
        claim.refute(x**2 > x, witness={x: sp.Rational(1, 2)}, hypotheses=[x > 1])
    with refuses(recorder, "no value for y"):
        claim.refute(x**2 > y, witness={x: sp.Rational(1, 2)})
    with refuses(recorder, "a hypothesis that the inventory doesn't have: 'it is red'"):
        claim.refute(x**2 > x, witness={x: sp.Rational(1, 2)}, meets={"it is red": "as said"})


def test_misprint(claim, last):
    claim.misprint((x + 1) ** 2, printed=x**2 + x + 1, corrected=x**2 + 2 * x + 1, witness={x: 1})
    assert (last().role, last().printed, last().corrected) == (Role.MISPRINT, "x^{2} + x + 1", "x^{2} + 2 x + 1")
    assert (last().witness["left"], last().witness["right"]) == ("4", "3")


def test_misprint_refuses(claim, recorder):
    with refuses(recorder, "not refuted: .* is true at x = 1"):
        claim.misprint((x + 1) ** 2, printed=x**2 + 2 * x + 1, corrected=x**2 + 2 * x + 1, witness={x: 1})
    with refuses(recorder, "false at"):
        claim.misprint((x + 1) ** 2, printed=x**2 + x + 1, corrected=x**2 + 3 * x + 1, witness={x: 1})


def test_gap(claim, last, capsys):
    claim.equal((x + 1) ** 2, x**2 + 2 * x + 1)
    claim.gap(step="TOY-2", because="joint probabilities are taken for conditional ones")
    assert (last().role, last().gap_step) == (Role.GAP, "TOY-2")
    assert last().because == "joint probabilities are taken for conditional ones"
    assert capsys.readouterr().out.splitlines()[-1] == "TOY-1  gap  the paper's step TOY-2 does not hold"


def test_gap_refuses(claim, recorder):
    with refuses(recorder, "unknown claim 'TOY-9'", InventoryError):
        claim.gap(step="TOY-9")


def test_a_gap_alone_is_no_verdict(claim):
    with pytest.raises(ContradictoryChecks, match="a gap needs a check of ours"):
        claim.gap(step="TOY-2")


def test_definition(claim, last, capsys):
    claim.definition()
    assert (last().role, last().evidence) == (Role.DEFINITION, ())
    assert capsys.readouterr().out == "TOY-1  definition\n"


def test_confirmed_and_refuted_is_an_error(claim):
    claim.equal((x + 1) ** 2, x**2 + 2 * x + 1)
    with pytest.raises(ContradictoryChecks, match="TOY-1 is both confirmed and refuted"):
        claim.refute(x**2 > x, witness={x: sp.Rational(1, 2)})


# What needs more than prose


def test_a_claim_in_prose_has_no_machine_form_to_take(claim, recorder):
    with refuses(recorder, "no 'formula' to take the statement from"):
        claim.as_stated()
    with refuses(recorder, "no 'formula' to take the statement from"):
        claim.refute_as_stated({"x": 1}, instance="one")


def test_an_export_names_the_check_that_proved_it(claim, paper, recorder):
    proof = paper.claim("TOY-2").equal((x + 1) ** 2, x**2 + 2 * x + 1)
    with pytest.raises(CheckFailed, match="TOY-1: square is to be exported from a proof of TOY-2"):
        claim.export("square", (x + 1) ** 2, of=proof)
    with pytest.raises(CheckFailed, match="no right-hand side to export"):
        claim.export("square", (x + 1) ** 2, of=claim.argued("a step", "that a person has to read first"))
    assert recorder.exports == []


def test_only_engines_make_evidence():
    with pytest.raises(HandMadeEvidence, match=r"claimproof\.engines"):
        Evidence(Kind.EXACT, "exact")
