"""False, empty or half-checked statements, spoken to a claim as a derivation would: each is refused."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from flint import fmpq, fmpq_mat
from sympy import Abs, Gt, Integral, Rational, Sum, atan, exp, log, oo, pi, sign

from claimproof.core.evidence import CheckFailed
from claimproof.engines import enclosed, exact, mutants, sampled, symbolic
from claimproof.session import findings
from claimproof.session.paper import MutantSurvived

a, r, s, z = sp.symbols("a r s z", real=True)
p, q, x, y = sp.symbols("p q x y", positive=True)
n = sp.Symbol("n", integer=True, positive=True)
k = sp.Symbol("k", integer=True)


def evidence(recorder, number=0):
    return recorder.records["TOY-1"].checks[-1].evidence[number]


class TestOnePoint:
    def test_a_jump_between_two_branches_is_not_overlooked(self, claim):
        held = Integral(2 * z, (z, 0, 1))
        with pytest.raises(CheckFailed):
            claim.equal(held * (atan(a) + atan(1 / a)), pi / 2)
        with pytest.raises(CheckFailed, match="no strategy"):  # true for positive x, but nothing here shows it
            claim.equal(held * (atan(x) + atan(1 / x)), pi / 2)

    def test_a_constant_on_each_side_of_a_pole(self, claim):
        with pytest.raises(CheckFailed, match="false at"):
            claim.equal(atan(a) + atan(1 / a), pi / 2)
        with pytest.raises(CheckFailed, match="false at"):
            claim.equal(sign(a), 1)


class TestDomain:
    def test_a_sample_does_not_narrow(self, claim):
        with pytest.raises(CheckFailed, match="false at"):
            claim.equal(log(r * s), log(r) + log(s), sample={r: (0, 1), s: (0, 1)})
        with pytest.raises(CheckFailed, match="false at"):
            claim.equal(Abs(1 - x), 1 - x, sample={x: (0, 1)})
        with pytest.raises(CheckFailed, match="false at"):
            claim.equal(n * (n - 1) * (n - 2) * (n - 3), 0 * n, sample={n: [1, 2, 3]})

    def test_a_hypothesis_does(self, claim):
        claim.equal((1 - x) ** 2, 1 - 2 * x + x**2, where=[x < 1], sample={x: (0, 1)})

    @pytest.mark.parametrize(("symbol", "limits"), [(x, (-1, 1)), (n, [0, 1]), (n, (1, 5)), (x, [0]), (x, (2, 1))])
    def test_a_range_outside_of_the_declaration(self, claim, symbol, limits):
        with pytest.raises(CheckFailed, match="range"):
            claim.equal((symbol + 1) ** 2, symbol**2 + 2 * symbol + 1, sample={symbol: limits})

    def test_a_corner_must_be_true(self, claim):
        with pytest.raises(CheckFailed, match="undefined or undecided at the corner r = 0"):
            claim.equal(sp.sin(r) ** 2 / r**2, (1 - sp.cos(2 * r)) / (2 * r**2), corners=[{r: 0}])
        with pytest.raises(CheckFailed, match="outside of the domain"):
            claim.equal((x + 1) ** 2, x**2 + 2 * x + 1, corners=[{x: 0}])
        with pytest.raises(CheckFailed, match="no y"):
            claim.equal((x + 1) ** 2, x**2 + 2 * x + 1, corners=[{y: 1}])

    def test_both_signs_of_every_parameter(self, claim):
        for wrong in (r * Abs(s), Abs(r) * s, Abs(r * s)):
            with pytest.raises(CheckFailed, match="false at"):
                claim.equal(r * s, wrong)

    def test_far_from_1(self, claim):
        with pytest.raises(CheckFailed, match="false at"):
            claim.equal(sp.Min(x, 100), x)


class TestLimits:
    def test_a_parameter_of_unknown_sign(self, claim):
        with pytest.raises(CheckFailed, match="stays"):
            claim.limit((a + 1 / x) ** 2 / Abs(a + 1 / x), x, oo, a)
        with pytest.raises(CheckFailed):
            claim.limit(sp.sqrt(a**2 + x), x, 0, a)

    @pytest.mark.parametrize("function", [sign(r), Abs(r) / r, atan(1 / r), 1 / (1 + exp(1 / r))])
    def test_two_sides(self, claim, function):
        from_above = sp.limit(function, r, 0, "+")
        with pytest.raises(CheckFailed):
            claim.limit(function, r, 0, from_above)
        claim.limit(function, r, 0, from_above, direction="+")

    def test_the_side_is_said(self, claim, recorder, capsys):
        claim.limit(sign(r), r, 0, 1, direction="+")
        assert "from above" in capsys.readouterr().out
        assert evidence(recorder)["sides"] == "+"
        assert recorder.records["TOY-1"].checks[-1].of == "sign(r) -> 1 as r -> 0+"
        claim.limit(sp.sin(r) / r, r, 0, 1)
        assert "from both sides" in evidence(recorder)["detail"]
        claim.limit(sp.sin(x) / x, x, 0, 1)  # a positive x comes from above
        assert evidence(recorder)["sides"] == "+"
        claim.limit((1 - x) / (1 - x**2), x, 1, Rational(1, 2), where=[x < 1])
        assert evidence(recorder)["sides"] == "-"

    def test_a_side_that_the_domain_lacks(self, claim):
        for variable, point, direction in ((x, 0, "-"), (x, -1, None), (x, -oo, None), (n, 3, None), (x, oo, "+"), (x, 0, "up")):
            with pytest.raises(CheckFailed, match=r"domain|approach|one side|direction"):
                claim.limit(variable + 1, variable, point, 1, direction=direction)

    @pytest.mark.parametrize("value", [Rational(500001, 1000000), Rational(-1, 2), 0, 1])
    def test_a_wrong_value(self, claim, value):
        with pytest.raises(CheckFailed, match="stays"):
            claim.limit((x - 1 + exp(-x)) / x**2, x, 0, value)

    def test_both_witnesses_are_recorded(self, claim, recorder):
        claim.limit((x - 1 + exp(-x)) / x**2, x, 0, Rational(1, 2))
        assert [e["kind"] for e in recorder.records["TOY-1"].checks[-1].evidence] == ["symbolic", "sampled"]

    def test_an_infinite_limit_is_no_number(self, claim):
        with pytest.raises(CheckFailed):
            claim.limit(1 / x, x, 0, oo)


class TestSeries:
    def test_two_sides(self, claim):
        with pytest.raises(CheckFailed):
            claim.series(Abs(r), r, 0, 3, r)
        claim.series(Abs(r), r, 0, 3, r, direction="+")
        with pytest.raises(CheckFailed):
            claim.series(r**2 * sign(r) + r, r, 0, 3, r + r**2)

    @pytest.mark.parametrize("order", [0, -1])
    def test_an_order_that_says_nothing(self, claim, order):
        with pytest.raises(CheckFailed, match="order"):
            claim.series(exp(x), x, 0, order, 17 * x)

    @pytest.mark.parametrize("expansion", [1 + x, 1 + x + x**2, 1 - x + x**2 / 2, 1 + x + x**2 * Rational(500001, 1000000)])
    def test_a_wrong_coefficient(self, claim, expansion):
        with pytest.raises(CheckFailed):
            claim.series(exp(x), x, 0, 3, expansion)

    def test_the_remainder_alone_notices(self):
        assert sampled.remainder(exp(r) - 1 - r - r**2 / 2, r, sp.Integer(0), 3, [1, -1], [{}]) is not None
        for wrong, order in ((exp(r) - 1 - r, 3), (x**2 * log(x), 2), (Abs(r) - r, 3)):
            variable = next(iter(wrong.free_symbols))
            with pytest.raises(CheckFailed, match="no O"):
                sampled.remainder(wrong, variable, sp.Integer(0), order, [1] if variable == x else [1, -1], [{}])


class TestIntegralsAndSums:
    @pytest.mark.parametrize(
        ("held", "right"),
        [
            (Integral(exp(-x * z), (z, 0, oo)), 1 / x),
            (Integral(z**2, (z, 0, x)), x**3 / 3),
            (Sum(k, (k, 1, n)), n * (n + 1) / 2),
        ],
    )
    def test_a_second_witness(self, claim, recorder, held, right):
        claim.equal(held, right)
        assert evidence(recorder, 1)["evaluated"] == "integrals and sums"
        for wrong in (right + 1, right * Rational(1000001, 1000000)):
            with pytest.raises(CheckFailed, match="by quadrature or summation"):
                claim.equal(held, wrong)

    def test_the_numbers_overrule_the_algebra(self, claim, monkeypatch):
        monkeypatch.setattr(symbolic, "strategy_for", lambda lhs, rhs: "expand")
        with pytest.raises(CheckFailed, match="by quadrature"):
            claim.equal(Integral(1 / (1 + z**2), (z, 0, r)), atan(r) + 1)

    def test_infinite_sums(self, claim):
        half = Rational(1, 2)
        with pytest.raises(CheckFailed, match="by quadrature or summation"):
            claim.equal(Sum(x * half**k, (k, 0, oo)), 3 * x)

    def test_what_has_no_number_is_said(self, claim, recorder):
        f = sp.Function("f", real=True)
        claim.equal(sp.Derivative(x * f(x), x), f(x) + x * sp.Derivative(f(x), x))
        assert evidence(recorder)["numeric"] == "not evaluated"


class TestRecords:
    def test_one_tree_on_both_sides_is_vacuous(self, claim, recorder):
        claim.equal(x + 1, 1 + x)
        assert evidence(recorder)["strategy"] == "identical"
        assert evidence(recorder)["vacuous"] is True

    def test_what_is_carried_out_is_not(self, claim, recorder):
        claim.equal(sp.Derivative(x**2, x), 2 * x)
        assert evidence(recorder)["strategy"] == "evaluated"
        assert "vacuous" not in evidence(recorder)
        assert recorder.records["TOY-1"].checks[-1].of == "Derivative(x**2, x) = 2*x"

    def test_limits_and_numbers(self, claim, recorder):
        claim.limit(p, x, 0, p)
        assert evidence(recorder)["vacuous"] is True
        value = sp.sqrt(2) + 1
        claim.exact(value, value)
        assert evidence(recorder)["vacuous"] is True
        claim.exact((1 + sp.sqrt(2)) ** 2, 3 + 2 * sp.sqrt(2))
        assert "vacuous" not in evidence(recorder)


class TestEvery:
    def test_a_straw_man(self, claim):
        with pytest.raises(CheckFailed, match="fails on all 1 cases"):
            claim.instances([None], lambda c: True, what="Riemann", wrong={"s": lambda c: False})
        with pytest.raises(CheckFailed, match="fails on all 9 cases"):
            claim.instances(range(9), lambda c: True, what="Riemann", wrong={"s": lambda c: False, "t": lambda c: c < 0})

    def test_straw_men_are_named(self, claim, recorder):
        claim.instances(range(9), lambda c: c < 9, what="w", wrong={"gross": lambda c: c < 0, "subtle": lambda c: c < 8})
        assert evidence(recorder)["straw_men"] == ["gross"]
        claim.instances([4], lambda c: c < 9, what="w", wrong={"gross": lambda c: c > 4}, only_gross="a single case")
        assert evidence(recorder)["only_gross"] == "a single case"
        for excuse in ("", "  "):
            with pytest.raises(CheckFailed, match="fails on all"):
                claim.instances([4], lambda c: c < 9, what="w", wrong={"gross": lambda c: c > 4}, only_gross=excuse)
        claim.instances(range(9), lambda c: c < 9, what="w", wrong={"subtle": lambda c: c < 8}, only_gross="not needed")
        assert "only_gross" not in evidence(recorder)

    def test_a_variant_that_breaks_is_not_rejected(self, claim):
        def raising(case):
            raise CheckFailed("undecided")

        for broken, error in ((raising, CheckFailed), (lambda c: 1 // 0, ZeroDivisionError), (lambda c: None, TypeError)):
            with pytest.raises(error):
                claim.instances(range(3), lambda c: True, what="w", wrong={"subtle": lambda c: c < 2, "broken": broken})

    def test_a_variant_that_never_fails_survives(self, claim):
        with pytest.raises(MutantSurvived, match="same"):
            claim.instances(range(3), lambda c: True, what="w", wrong={"subtle": lambda c: c < 2, "same": lambda c: c < 3})

    def test_truth_is_a_matter_of_type(self):
        class bool_:  # it calls itself what numpy's does
            def __bool__(self):
                return True

        for answer in (bool_(), 1, "yes", None, sp.Integer(1), np.ones(1)):
            with pytest.raises(TypeError, match="not a truth value"):
                exact.every([1], lambda c, answer=answer: answer, "w")
        for answer in (True, np.True_, sp.true):
            exact.every([1], lambda c, answer=answer: answer, "w")


class TestSimulated:
    @staticmethod
    def around(mean, spread):
        return lambda rng, runs: mean + spread * rng.standard_normal(runs)

    def test_a_mean_of_1_is_not_taken_for_another(self, claim):
        with pytest.raises(CheckFailed, match="can't see"):
            claim.simulated(self.around(1.0, 6), 1.29, seed=1, runs=2000)
        with pytest.raises(CheckFailed, match="standard errors"):
            claim.simulated(self.around(1.0, 1), 1.29, seed=1, runs=500_000)
        with pytest.raises(CheckFailed, match="standard errors"):
            claim.simulated(self.around(1.0, 1), 1.01, seed=1, runs=500_000)

    def test_a_rare_event_that_did_not_happen(self, claim):
        with pytest.raises(CheckFailed, match="a constant is no simulation"):
            claim.simulated(lambda rng, runs: np.ones(runs), 1, seed=1, runs=5000)

    def test_a_rare_event_that_happened_once(self, claim):
        def lottery(rng, runs):
            return 1 + 1e-3 * rng.standard_normal(runs) + np.where(np.arange(runs) == 7, 1.0, 0)

        with pytest.raises(CheckFailed, match="of the spread"):
            claim.simulated(lottery, 1, seed=1, runs=5000)

    def test_too_few_runs(self, claim):
        with pytest.raises(CheckFailed, match="at least 1000"):
            claim.simulated(self.around(1.0, 1e-6), 1, seed=1, runs=2)

    def test_a_coarser_resolution_is_said(self, claim, recorder):
        claim.simulated(self.around(1.0, 1), 1, seed=1, runs=100_000, resolution=0.05)
        assert "sees errors of 5.0% only" in evidence(recorder)["detail"]
        with pytest.raises(CheckFailed, match="can't see"):
            claim.simulated(self.around(1.0, 1), 1, seed=1, runs=1_000, resolution=0.05)

    def test_nothing_is_a_share_of_0(self, claim):
        with pytest.raises(CheckFailed, match="expected value is 0"):
            claim.simulated(self.around(0.0, 1), 0, seed=1, runs=100_000)


class TestTextual:
    @pytest.mark.parametrize("version", ["2011", "1998", "1997 "])
    def test_an_unknown_version(self, claim, version):
        with pytest.raises(CheckFailed, match="unknown version"):
            claim.textual(version=version, place="Section 1", words="a few words")


class TestMutants:
    def test_subtle_ones(self):
        found = {m.what: m.expression for m in mutants.of_expression(x * (y - exp(-(x - y))) + Sum(k, (k, 1, n)))}
        assert "a millionth more" in found
        assert any(what.startswith("deep sign") for what in found)
        assert any(what.startswith("limits of k") for what in found)

    def test_a_comparison_to_five_digits_lets_one_survive(self, claim, monkeypatch):
        monkeypatch.setattr(
            symbolic, "still_proves",
            lambda strategy, lhs, rhs: abs(sp.N((lhs - rhs).subs({x: 2}))) < sp.Float("1e-4"),
        )
        monkeypatch.setattr(sampled, "equal", lambda *args, **rest: None)
        monkeypatch.setattr(sampled, "compare", lambda lhs, rhs, *rest, **more: (1, lhs != (x + 1) ** 2, 0, None))
        with pytest.raises(MutantSurvived, match="a millionth more"):
            claim.equal((x + 1) ** 2, x**2 + 2 * x + 1)

    def test_an_entry_other_than_the_first(self, claim, monkeypatch):
        left = fmpq_mat([[1, 2], [3, 4]])
        same = exact.equal(left, left)
        monkeypatch.setattr(findings, "seed_of", lambda text: 3)
        monkeypatch.setattr(exact, "equal", lambda lhs, rhs: same if _first(lhs) == _first(rhs) else _refuse())
        with pytest.raises(MutantSurvived, match="entry 3"):
            claim.exact(left, left)

    def test_a_millionth_of_a_rational(self, claim, recorder):
        claim.exact(fmpq(1, 3) + fmpq(1, 6), fmpq(1, 2))
        assert recorder.records["TOY-1"].checks[-1].killed == 4

    def test_a_region_that_is_too_large(self, claim, recorder):
        claim.inequality(Gt(1 - x, 0, evaluate=False), on={x: (0, 1)}, zeros={x: (1, 1)})
        regions = mutants.larger_regions({x: (0, 1)}, [y > x])
        assert [region.what for region in regions] == ["hypothesis y > x dropped", "x up to 5/4"]
        assert recorder.records["TOY-1"].checks[-1].killed >= 3

    def test_an_engine_that_forgets_a_hypothesis(self, claim, monkeypatch):
        prove = enclosed.prove
        relation = Gt(x, y**2)
        where = [x > y + Rational(1, 10)]

        def forgetful(mutant, **options):
            return prove(mutant, **{**options, "where": where})

        monkeypatch.setattr(enclosed, "prove", forgetful)
        with pytest.raises(MutantSurvived, match="dropped"):
            claim.inequality(relation, on={x: (0, 1), y: (0, 1)}, where=where)


def _first(value):
    return value[0, 0] if hasattr(value, "nrows") else value[0][0]


def _refuse():
    raise CheckFailed("differs in the first entry")


class TestRefute:
    def test_every_hypothesis_is_checked(self, claim):
        with pytest.raises(CheckFailed, match="does not certainly meet"):
            claim.refute(Gt(x, 2, evaluate=False), witness={x: 1}, hypotheses=[x < 2, x > 1])
        with pytest.raises(CheckFailed, match="does not certainly meet"):
            claim.refute(Gt(x, 2, evaluate=False), witness={x: 1}, hypotheses=[sp.And(x < 2, sp.Or(x > 1, x > 3))])

    def test_an_undecided_hypothesis(self, claim):
        with pytest.raises(CheckFailed, match="does not certainly meet"):
            claim.refute(Gt(x, 2, evaluate=False), witness={x: 1}, hypotheses=[Gt(sp.Function("f")(x), 0, evaluate=False)])

    def test_a_symbol_without_a_value(self, claim):
        for relation, hypotheses in (
            (sp.Eq(r * s, 1, evaluate=False), []), (Gt(r, 1), [s > 0]), (Gt(r, 1), [sp.Eq(r * s, 0, evaluate=False)]),
        ):
            with pytest.raises(CheckFailed, match="no value for s"):
                claim.refute(relation, witness={r: 0}, hypotheses=hypotheses)

    def test_a_symbol_of_another_declaration(self, claim):
        with pytest.raises(CheckFailed, match="no value for x"):
            claim.refute(Gt(x, 2, evaluate=False), witness={sp.Symbol("x", real=True): 1})

    def test_a_witness_against_the_declaration(self, claim):
        with pytest.raises(CheckFailed, match="contradicts"):
            claim.refute(Gt(x, 2, evaluate=False), witness={x: 0})
