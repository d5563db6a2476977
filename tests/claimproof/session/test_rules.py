"""Rules conclude what follows, and refuse false premises, premises of another form and side conditions that fail."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from claimproof.core.evidence import CheckFailed, ShownFalse
from claimproof.engines import ruled, stated
from claimproof.engines.ruled import Every, Mean
from claimproof.session.findings import Finder, Finding
from claimproof.session.rules import (
    RuleRefused,
    bounded_by,
    case_split,
    consequence,
    dominated,
    expected,
    induction,
    jensen,
    linear_expectation,
    monotone,
    squeeze,
    substitution,
    summed,
    weighted_jensen,
)

finder = Finder("a test")
x, t, h = sp.symbols("x t h", positive=True)
y, z, c = sp.symbols("y z c", real=True)
n, i, N = sp.symbols("n i N", integer=True, positive=True)
k = sp.Symbol("k", integer=True)
page = sp.Function("x", positive=True)(i)
weight = sp.Function("w", nonnegative=True)(i)


def eq(left, right):
    return sp.Eq(left, right, evaluate=False)


def proved(relation, where=(), like=None):
    """A premise that some engine confirmed: the evidence of another finding with this relation."""
    finding = like or finder.equal((x + 1) ** 2, x**2 + 2 * x + 1, (), None, ())
    return replace(finding, relation=relation, where=tuple(where), of=str(relation))


def looked_at(finding):
    return ruled.looked_at(finding.relation, finding.where, "a test")


# ---- evidence -----------------------------------------------------------------------------


def test_a_conclusion_is_no_stronger_than_its_weakest_premise():
    enclosed = finder.inequality(sp.Gt(sp.exp(-x), 0, evaluate=False), {x: (0, 2)}, None, None, (), 1000)
    found = expected(enclosed, x)
    assert [e.kind.value for e in found.evidence] == ["enclosed"]


@pytest.mark.parametrize("evidence", [
    [stated.argued("a step", "somebody has to read this one here")],
    [],
])
def test_a_premise_that_no_machine_settled_is_refused(evidence):
    premise = Finding(evidence, finder.equal(x, x, (), None, ()).tally, "x > 0", sp.Gt(x, 0, evaluate=False))
    with pytest.raises(CheckFailed, match=r"argued|not settled"):
        expected(premise, x)


def test_premises_that_all_say_a_is_a_conclude_nothing():
    with pytest.raises(CheckFailed, match="vacuous"):
        expected(finder.equal(sp.exp(x), sp.exp(x), (), None, ()), x)


def test_a_rule_that_forgot_a_hypothesis_would_have_a_survivor():
    from claimproof.session.rules.premises import Conclusion, conclude

    premise = proved(sp.Gt(x + y, y, evaluate=False), [y < 2])
    forgetful = conclude("forgetful", [premise], lambda p: Conclusion(p.relation, ()))
    assert "forgetful: premise 1 with one more hypothesis" in forgetful.tally.survivors
    deaf = conclude("deaf", [premise], lambda p: Conclusion(premise.relation, p.where))
    assert len(deaf.tally.survivors) == deaf.tally.total - 1


# ---- substitution -------------------------------------------------------------------------


def test_substitution_keeps_hypotheses_and_domains():
    finding = proved(eq((x + y) ** 2, x**2 + 2 * x * y + y**2), [y < 2])
    found = substitution(finding, {x: t + 1, y: z})
    assert found.relation == eq((t + 1 + z) ** 2, z**2 + sp.Mul(2, z, t + 1) + (t + 1) ** 2)
    assert found.where == (z < 2,)
    with pytest.raises(RuleRefused, match=r"z in the place of x .* x is positive"):
        substitution(finding, {x: z})
    with pytest.raises(RuleRefused, match="fails there"):
        substitution(finding, {y: 3})
    with pytest.raises(RuleRefused, match="no free t"):
        substitution(finding, {t: 1})


def test_substitution_is_not_caught_by_a_bound_variable():
    finding = proved(eq(sp.Sum(c * k, (k, 1, n)), c * n * (n + 1) / 2))
    with pytest.raises(RuleRefused, match="bound variable"):
        substitution(finding, {c: k})
    series = finder.series(sp.exp(y), y, sp.Integer(0), 2, 1 + y, None, ())
    with pytest.raises(RuleRefused, match="no machine form"):
        substitution(series, {y: 1})


# ---- induction ----------------------------------------------------------------------------


def geometric(m):
    return eq(1 - h**m, (1 - h) * sp.Sum(h**k, (k, 0, m - 1)))


def base_of(predicate, first):
    relation = predicate(first)
    return finder.equal(relation.lhs, relation.rhs, (), None, ())


def test_induction_from_base_and_step():
    step = finder.implied(geometric(n + 1), {geometric(n): None}, on={}, where=())
    found = induction(geometric(n), n, 1, base=base_of(geometric, 1), step=step)
    assert found.relation == geometric(n)
    assert found.where == ()
    assert found.tally.killed == found.tally.total > 8
    assert looked_at(found).data["true"] > 0


def test_an_inequality_by_induction():
    def bernoulli(m):
        return sp.Ge(sp.Product(1 + x, (k, 1, m)), 1 + m * x, evaluate=False)

    base = finder.equal(sp.Product(1 + x, (k, 1, 1)), 1 + x, (), None, ())
    base = replace(base, relation=bernoulli(1))
    step = finder.implied(bernoulli(n + 1), {bernoulli(n): None}, on={n: sp.Interval(1, 50), x: (0, 10)}, where=())
    assert step.relation == bernoulli(n + 1)
    with pytest.raises(CheckFailed):
        finder.implied(sp.Ge(sp.Product(1 + x, (k, 1, n + 1)), 1 + n * x + 2 * x, evaluate=False), {bernoulli(n): None},
                       on={n: sp.Interval(1, 50), x: (0, 10)}, where=())
    # The step was proved for x < 10 and n <= 50 only: the first is carried, the second is asked of every n.
    found = induction(bernoulli(n), n, 1, base=base, step=step)
    assert sp.Lt(x, 10) in found.where
    assert Every(n <= 50, n, 1, sp.oo) in found.where


def test_a_false_step_is_not_proved():
    def wrong(m):
        return eq(sp.Sum(k, (k, 1, m)), m * (m + 1) / 2 + 1)

    def off_by_one(m):
        return eq(sp.Sum(k, (k, 1, m)), m * (m - 1) / 2)

    finder.implied(wrong(n + 1), {wrong(n): None}, on={}, where=())  # the step of a false statement may be true
    with pytest.raises(CheckFailed):
        base_of(wrong, 1)
    with pytest.raises(CheckFailed):
        finder.implied(off_by_one(n + 1), {off_by_one(n): None}, on={}, where=())


@pytest.mark.parametrize(("change", "message"), [
    (lambda base, step: (base_of(geometric, 2), step), "the base is"),
    (lambda base, step: (base, proved(geometric(n + 2), [geometric(n)])), "the step ends in"),
    (lambda base, step: (base, proved(geometric(n + 1))), "does not start from"),
    (lambda base, step: (base, proved(geometric(n + 1), [geometric(n + 1)])), "does not start from"),
    (lambda base, step: (base, proved(geometric(n + 1), [eq(1 - h**n, (1 + h) * sp.Sum(h**k, (k, 0, n - 1)))])), "start from"),
    (lambda base, step: (proved(geometric(1), [n > 3]), step), "hypothesis on n"),
])
def test_induction_refuses_premises_that_do_not_fit(change, message):
    base, step = change(base_of(geometric, 1), finder.implied(geometric(n + 1), {geometric(n): None}, on={}, where=()))
    with pytest.raises(RuleRefused, match=message):
        induction(geometric(n), n, 1, base=base, step=step)


def test_induction_does_not_start_outside_of_the_domain_or_from_real_numbers():
    with pytest.raises(RuleRefused, match="not seen to meet"):
        induction(geometric(n), n, 0, base=proved(geometric(0)), step=proved(geometric(n + 1), [geometric(n)]))
    with pytest.raises(RuleRefused, match="whole number"):
        induction(eq(x, x), x, 1, base=proved(eq(x, x)), step=proved(eq(x, x)))


def test_hypotheses_of_a_step_are_carried_unless_they_are_implied():
    step = proved(geometric(n + 1), [geometric(n), n >= 1, n < 5, h < 1])
    found = induction(geometric(n), n, 1, base=base_of(geometric, 1), step=step)
    assert set(found.where) == {Every(n < 5, n, 1, sp.oo), h < 1}
    later = induction(geometric(n), n, 3, base=base_of(geometric, 3), step=proved(geometric(n + 1), [geometric(n), n >= 3]))
    assert later.where == (n >= 3,)


# ---- sums ---------------------------------------------------------------------------------


def test_a_sum_over_any_number_of_pages():
    termwise = finder.inequality(sp.Gt(x - 1 + sp.exp(-x), 0, evaluate=False), {x: (0, sp.oo)}, {x: [(0, 2)]}, None, (), 10**4)
    found = summed(termwise, {x: page}, i, N)
    assert found.relation == sp.Gt(sp.Sum(page - 1 + sp.exp(-page), (i, 1, N)), 0, evaluate=False)
    assert found.where == ()
    assert looked_at(found).data["true"] > 0


def test_hypotheses_are_asked_of_every_term():
    found = summed(proved(sp.Ge(x, x**2, evaluate=False), [x <= 1, y > 0]), {x: page}, i, N)
    assert found.where == (Every(page <= 1, i, 1, N), y > 0)
    assert looked_at(found).data["true"] > 0
    with pytest.raises(ShownFalse):  # as if the hypothesis had been forgotten
        ruled.looked_at(found.relation, (), "a test")


@pytest.mark.parametrize(("relation", "members", "count", "message"), [
    (sp.Gt(x + 1, x, evaluate=False), {x: page}, N - 1, "may be empty"),
    (sp.Ge(x + 1, x, evaluate=False), {x: sp.Function("g", real=True)(i)}, N, "x is positive"),
    (sp.Ge(x + 1, x, evaluate=False), {x: x}, N, "no member"),
    (sp.Ge(x + i, x, evaluate=False), {x: page}, N, "already has the index"),
    (sp.Ne(x + 1, x, evaluate=False), {x: page}, N, "says nothing of the sums"),
    (sp.Ge(y + 1, y, evaluate=False), {x: page}, N, "all terms are one"),
    (sp.Ge(x + 1, x, evaluate=False), {x: page}, i + 1, "depends on i"),
])
def test_sums_are_refused(relation, members, count, message):
    with pytest.raises(RuleRefused, match=message):
        summed(proved(relation), members, i, count)


# ---- expectations -------------------------------------------------------------------------


def test_expectations_are_monotone_and_linear():
    pointwise = proved(sp.Ge(sp.exp(-c * x), 1 - c * x, evaluate=False), [x < 3])
    found = expected(pointwise, x)
    assert found.relation == sp.Ge(Mean(sp.exp(-c * x), x), Mean(1 - c * x, x), evaluate=False)
    assert found.where == (x < 3,)
    assert "for every law of x for which both sides are finite where x < 3" in found.of
    assert looked_at(found).data["true"] > 0
    named = expected(pointwise, x, {sp.exp(-c * x): h, x: t})
    assert named.relation == sp.Ge(h, 1 - c * t, evaluate=False)
    assert eq(Mean(x, x), t) in named.where
    assert looked_at(named).data["true"] > 0


def test_a_false_inequality_of_expectations_is_found_out():
    with pytest.raises(ShownFalse):
        looked_at(expected(proved(sp.Ge(x, x**2, evaluate=False)), x))


def test_linearity_refuses_products_and_what_is_not_named():
    with pytest.raises(RuleRefused, match="product"):
        linear_expectation(x * sp.exp(-x), x, {x: 1, sp.exp(-x): h})
    with pytest.raises(RuleRefused, match="no combination"):
        linear_expectation(x**2 + x, x, {sp.exp(-x): h})
    with pytest.raises(RuleRefused, match="does not depend"):
        expected(proved(sp.Gt(y + 1, y, evaluate=False)), x)


# ---- Jensen -------------------------------------------------------------------------------


def convex(f, where=(), symbol=x):
    return proved(sp.Ge(sp.diff(f, symbol, 2), 0, evaluate=False), where)


def test_jensen_for_every_law_and_for_every_number_of_terms():
    f = sp.exp(-c * x)
    found = jensen(convex(f), f, x)
    assert found.relation == sp.Ge(Mean(f, x), sp.exp(-c * Mean(x, x)), evaluate=False)
    assert looked_at(found).data["true"] > 0
    weighted = weighted_jensen(convex(f), f, x, weight=weight, point=page, index=i, count=N)
    assert eq(sp.Sum(weight, (i, 1, N)), 1) in weighted.where
    assert looked_at(weighted).data["true"] > 0
    without_weights = tuple(h for h in weighted.where if not isinstance(h, sp.Eq))
    with pytest.raises(ShownFalse):
        ruled.looked_at(sp.Ge(sp.Sum(weight * page**2, (i, 1, N)), sp.Sum(weight * page, (i, 1, N)) ** 2), without_weights, "t")


def test_jensen_for_concave_functions_is_turned_round():
    premise = proved(sp.Lt(sp.diff(sp.log(x), x, 2), 0, evaluate=False))
    found = jensen(premise, sp.log(x), x)
    assert isinstance(found.relation, sp.Le)
    assert looked_at(found).data["true"] > 0


def test_jensen_takes_the_ends_where_the_function_is_continuous():
    f = y**2
    found = jensen(convex(f, [y > 0, y < 2], y), f, y, interval=sp.Interval(0, 2))
    assert {y >= 0, y <= 2} <= set(found.where)
    with pytest.raises(RuleRefused, match="not on"):
        jensen(convex(f, [y > 0, y < 2], y), f, y, interval=sp.Interval(0, 3))
    g = 1 / y
    with pytest.raises(RuleRefused, match=r"limit|continuous"):
        jensen(convex(g, [y > 0, y < 2], y), g, y, interval=sp.Interval(0, 2))


@pytest.mark.parametrize(("premise", "function", "message"), [
    (convex(x**4), x**3, "does not compare the second derivative"),
    (proved(sp.Ge(sp.diff(x**3, x), 0, evaluate=False)), x**3, "does not compare the second derivative"),
    (proved(sp.Ge(sp.diff(x**4, x, 2), -1, evaluate=False)), x**4, "does not compare the second derivative"),
    (convex(y**2, [sp.Ne(y, 0)], y), y**2, "no interval|joins"),
    (convex(y**2, [y > z], y), y**2, "joins y"),
    (proved(sp.Ge(2, 0, evaluate=False)), sp.Abs(y) * -1, "not known to be smooth"),
    (proved(sp.Ge(2 * y / (y**2 + 1) ** 2, 0, evaluate=False)), sp.atan(1 / y), "not known to be smooth"),
])
def test_jensen_refuses(premise, function, message):
    with pytest.raises(RuleRefused, match=message):
        jensen(premise, function, y if y in function.free_symbols else x)


def test_weights_must_be_nonnegative_members():
    f = x**2
    with pytest.raises(RuleRefused, match="nonnegative"):
        weighted_jensen(convex(f), f, x, weight=sp.Function("v", real=True)(i), point=page, index=i, count=N)


# ---- cases --------------------------------------------------------------------------------

SOMETHING = sp.Gt(y**2 + 1, 0, evaluate=False)


def cases(*hypotheses, relation=SOMETHING):
    return [proved(relation, conditions) for conditions in hypotheses]


@pytest.mark.parametrize(("hypotheses", "where"), [
    (([y < 0], [y >= 0]), ()),
    (([y < 1], [y > 0]), ()),
    (([y < 0], [sp.Eq(y, 0)], [y > 0]), ()),
    (([z <= c], [z > c]), ()),
    (([z < c], [c < z], [sp.Eq(z, c)]), ()),
    (([y >= -3, y <= 0], [y >= 0, y <= 3]), (y >= -3, y <= 3)),
    (([n <= 3], [n >= 4]), ()),
    (([z < c, y > 0], [z >= c, y > 0], [y <= 0]), ()),
])
def test_cases_that_leave_nothing_out(hypotheses, where):
    found = case_split(*cases(*hypotheses), where=where)
    assert found.relation == SOMETHING
    assert set(found.where) == set(where)
    assert found.tally.killed == found.tally.total > 0


@pytest.mark.parametrize("hypotheses", [
    ([y < 0], [y > 0]),
    ([y < 0], [y > 1]),
    ([z <= c], [z >= c + 1]),
    ([z < c], [z > c]),
    ([y < 0], [z >= 0]),
    ([n <= 3], [n >= 5]),
    ([y >= -3, y <= 0], [y >= 0, y <= 3]),
    ([z < c, y > 0], [z >= c, y > 0], [y < 0]),
])
def test_cases_that_leave_something_out(hypotheses):
    with pytest.raises(RuleRefused, match="leave something out"):
        case_split(*cases(*hypotheses))


def test_shared_hypotheses_are_kept_and_relations_must_agree():
    assert case_split(*cases([y < 0, z > 0], [y >= 0, z > 0])).where == (z > 0,)
    with pytest.raises(RuleRefused, match="another"):
        case_split(cases([y < 0])[0], cases([y >= 0], relation=sp.Gt(y**2 + 2, 0, evaluate=False))[0])
    with pytest.raises(RuleRefused, match="no split"):
        case_split(cases([y < 0])[0])


# ---- limits -------------------------------------------------------------------------------

TO_0 = finder.limit(1 / x, x, sp.oo, sp.Integer(0), None, ())
MINUS_TO_0 = finder.limit(-1 / x, x, sp.oo, sp.Integer(0), None, ())
WAVE = sp.sin(x) / x


def bounds(where=()):
    return proved(sp.Ge(WAVE, -1 / x, evaluate=False), where), proved(sp.Le(WAVE, 1 / x, evaluate=False), where)


def test_squeezed_between_two_limits():
    found = squeeze(*bounds([x > 7, c > 0]), MINUS_TO_0, TO_0)
    assert found.relation == eq(sp.Limit(WAVE, x, sp.oo), 0)
    assert found.where == (c > 0,)
    assert found.tally.killed == found.tally.total > 0


def test_a_bound_that_vanishes():
    distance = proved(sp.Le(sp.Abs(WAVE + c - 2), 1 / x, evaluate=False), [x > 7])
    found = bounded_by(distance, TO_0)
    assert found.relation == eq(sp.Limit(WAVE, x, sp.oo), 2 - c)
    with pytest.raises(RuleRefused, match="not to 0"):
        bounded_by(distance, finder.limit(1 / x + 1, x, sp.oo, sp.Integer(1), None, ()))
    with pytest.raises(RuleRefused, match="what goes to 0 is"):
        bounded_by(distance, finder.limit(2 / x, x, sp.oo, sp.Integer(0), None, ()))
    with pytest.raises(RuleRefused, match="no distance"):
        bounded_by(proved(sp.Le(WAVE, 1 / x, evaluate=False)), TO_0)


def test_limits_refuse_bounds_elsewhere():
    below, above = bounds([x < 100])
    with pytest.raises(RuleRefused, match="does not come near"):
        squeeze(below, above, MINUS_TO_0, TO_0)
    below, above = bounds([x > c])
    with pytest.raises(RuleRefused, match="joins x"):
        squeeze(below, above, MINUS_TO_0, TO_0)
    below, above = bounds()
    with pytest.raises(RuleRefused, match="go to"):
        squeeze(below, above, MINUS_TO_0, proved(eq(sp.Limit(1 / x, x, sp.oo), 1)))
    with pytest.raises(RuleRefused, match="different places"):
        squeeze(below, above, MINUS_TO_0, proved(eq(sp.Limit(1 / x, x, 1), 0)))
    with pytest.raises(RuleRefused, match="bound one function"):
        squeeze(above, above, MINUS_TO_0, TO_0)
    both = sp.Limit(y, y, 0, "+-")
    one_sided = proved(sp.Le(sp.Abs(sp.sin(y) - 0), y, evaluate=False), [y > 0])
    with pytest.raises(RuleRefused, match="does not come near"):
        bounded_by(one_sided, proved(eq(both, 0)))


def test_a_limit_under_an_expectation_needs_a_bound_that_stays():
    f = (1 - sp.exp(-t * x)) / t
    pointwise = proved(eq(sp.Limit(f, t, 0, "+"), x))
    bound = proved(sp.Le(sp.Abs(f), x, evaluate=False))
    found = dominated(pointwise, bound, x)
    assert found.relation == eq(sp.Limit(Mean(f, x), t, 0, "+"), Mean(x, x))
    assert sp.Lt(Mean(x, x), sp.oo, evaluate=False) in found.where
    with pytest.raises(RuleRefused, match="depends on t"):
        dominated(pointwise, proved(sp.Le(sp.Abs(f), x / t, evaluate=False)), x)
    with pytest.raises(RuleRefused, match="does not bound"):
        dominated(pointwise, proved(sp.Le(f - 1, x, evaluate=False)), x)


def test_bounded_monotone_sequences():
    f = 1 - 1 / n
    found = monotone(proved(sp.Ge(f.subs(n, n + 1), f, evaluate=False)), proved(sp.Le(f, 1, evaluate=False)), n)
    assert found.relation == sp.Le(sp.Limit(f, n, sp.oo), 1, evaluate=False)
    falling = monotone(proved(sp.Le(1 / (n + 1), 1 / n, evaluate=False)), proved(sp.Ge(1 / n, 0, evaluate=False)), n)
    assert isinstance(falling.relation, sp.Ge)
    with pytest.raises(RuleRefused, match="another function"):
        monotone(proved(sp.Ge(f.subs(n, n + 1), f, evaluate=False)), proved(sp.Ge(f, 0, evaluate=False)), n)
    with pytest.raises(RuleRefused, match="moves with n"):
        monotone(proved(sp.Ge((n + 1) ** 2, n**2, evaluate=False)), proved(sp.Le(n**2, n**3, evaluate=False)), n)
    with pytest.raises(RuleRefused, match="next one"):
        monotone(proved(sp.Ge((n + 2) ** 2, n**2, evaluate=False)), proved(sp.Le(n**2, 3, evaluate=False)), n)


# ---- consequences -------------------------------------------------------------------------


def test_a_known_hypothesis_is_taken_away_and_its_own_take_its_place():
    fact = proved(sp.Ge(x, 2, evaluate=False), [y > 0])
    implied = finder.implied(sp.Ge(x**2 + x, 2 + x**2, evaluate=False), {fact.relation: 1}, on={}, where=())
    found = consequence(implied, fact)
    assert found.relation == sp.Ge(x**2 + x, 2 + x**2, evaluate=False)
    assert found.where == (y > 0,)
    with pytest.raises(RuleRefused, match="no hypothesis"):
        consequence(implied, proved(sp.Ge(x, 3, evaluate=False)))
    with pytest.raises(RuleRefused, match="nothing is known"):
        consequence(implied)


@pytest.mark.parametrize(("conclusion", "hypotheses", "message"), [
    (sp.Ge(-x, -2, evaluate=False), {sp.Ge(x, 2, evaluate=False): -1}, "not seen to be nonnegative"),
    (sp.Ge(x * y, 2 * y, evaluate=False), {sp.Ge(x, 2, evaluate=False): y}, "not seen to be nonnegative"),
    (sp.Ge(x / (y - 1), 2, evaluate=False), {eq(x, 2): 1 / (y - 1)}, "denominator"),
    (eq(x, 2), {sp.Ge(x, 2, evaluate=False): 1}, "can't follow"),
    (sp.Gt(x, 2, evaluate=False), {sp.Ge(x, 2, evaluate=False): 1}, None),
    (sp.Ge(x, 3, evaluate=False), {sp.Ge(x, 2, evaluate=False): 1}, None),
])
def test_implications_that_do_not_follow(conclusion, hypotheses, message):
    with pytest.raises(CheckFailed, match=message):
        finder.implied(conclusion, hypotheses, on={}, where=())


def test_a_hypothesis_may_be_strict_and_sums_are_taken_apart():
    strict = finder.implied(sp.Gt(3 * x, 6, evaluate=False), {sp.Gt(x, 2, evaluate=False): 3}, on={}, where=())
    assert strict.evidence
    total = eq(sp.Sum(page, (i, 1, N)), 1)
    twice = finder.implied(eq(sp.Sum((1 + h) * page, (i, 1, N)), 1 + h), {total: 1 + h}, on={}, where=())
    assert twice.evidence[0].kind.value == "symbolic"
    with pytest.raises(CheckFailed):
        finder.implied(eq(sp.Sum(i * page, (i, 1, N)), i), {total: i}, on={}, where=())


# ---- what a symbol must not be -----------------------------------------------------------


def test_numbers_that_are_left_out_by_a_declaration():
    even = sp.Symbol("n", integer=True, even=True, positive=True)
    with pytest.raises(RuleRefused, match="declared even"):
        induction(geometric(even), even, 2, base=proved(geometric(2)), step=proved(geometric(even + 1), [geometric(even)]))
    nonzero = sp.Symbol("y", real=True, nonzero=True)
    with pytest.raises(RuleRefused, match="declared nonzero"):
        jensen(convex(nonzero**-2, (), nonzero), nonzero**-2, nonzero)
    with pytest.raises(RuleRefused, match="declared integer"):
        jensen(convex(n**2, (), n), n**2, n)


def test_a_random_variable_is_not_split_into_cases_or_summed():
    """E X^2 >= 1 for laws on x >= 1 and on x <= -1 ... says nothing of laws on both."""
    mean = sp.Ge(Mean(y**2, y), Mean(y, y), evaluate=False)
    with pytest.raises(RuleRefused, match="is bound"):
        case_split(proved(mean, [y < 0]), proved(mean, [y >= 0]))
    with pytest.raises(RuleRefused, match="is bound"):
        expected(proved(mean), y)
    with pytest.raises(RuleRefused, match="is bound"):
        summed(proved(sp.Ge(Mean(x**2, x), 0, evaluate=False)), {x: page}, i, N)
    with pytest.raises(RuleRefused, match="bound variable"):
        substitution(proved(mean), {y: 1})


def test_a_sum_does_not_begin_outside_of_the_domain_of_its_index():
    with pytest.raises(RuleRefused, match="0 in the place of i"):
        summed(proved(sp.Ge(x + 1, x, evaluate=False)), {x: t * i}, i, N, first=0)
