"""Inequalities on whole regions: true ones are proved, false, slipped, vacuous and inexact ones are not."""

from __future__ import annotations

import pytest
import sympy as sp
from flint import fmpq
from sympy import Interval, Rational, exp, log, oo, sqrt

from claimproof.core.evidence import CheckFailed, Kind
from claimproof.engines.balls import FloatInBall
from claimproof.engines.enclosed import _round_down, prove

a, h, q, x, y, z = sp.symbols("a h q x y z")
half_line = (0, oo)


def refuse(message, relation, on, **options):
    with pytest.raises(CheckFailed, match=message):
        prove(relation, on, **options)


class TestProved:
    @pytest.mark.parametrize(
        ("relation", "on", "options"),
        [
            (x - 1 + exp(-x) > 0, {x: half_line}, {"zeros": {x: (0, 2)}}),
            (x - 1 + exp(-x) >= 0, {x: (-oo, oo)}, {"zeros": {x: (0, 2)}}),
            (q - 2 + (q + 2) * exp(-q) > 0, {q: half_line}, {"zeros": {q: (0, 3)}}),
            ((1 - exp(-q)) ** 2 > q**2 * exp(-q), {q: half_line}, {"zeros": {q: (0, 4)}, "tail": {q: 20}}),
            ((1 - exp(-x)) / x > exp(-x), {x: half_line}, {"zeros": {x: (0, 1)}}),
            (sp.tanh(x) < x, {x: half_line}, {"zeros": {x: (0, 3)}}),
            (x * exp(-x) <= exp(-1), {x: half_line}, {"zeros": {x: (1, 2)}}),
            (sp.sin(x) < x, {x: (0, 4)}, {"zeros": {x: (0, 3)}}),
            (sp.Ne(x**3 - x - 1, 0), {x: (0, 1)}, {}),
        ],
    )
    def test_in_one_variable(self, relation, on, options):
        found = prove(relation, on, **options)
        assert found.kind is Kind.ENCLOSED
        assert found.data["boxes"] >= 1
        assert float(found.data["margin"]) > 0

    @pytest.mark.parametrize(
        ("relation", "on", "zeros"),
        [
            (1 - y + y * log(y) > 0, (0, 1), (1, 2)),  # a logarithm at 0, a zero at 1
            (1 - y + y * log(y) >= 0, (0, oo), (1, 2)),
            (log(x) <= x - 1, (0, oo), (1, 2)),
            (log(1 - x) < -x, (0, 1), (0, 2)),  # singular at the upper end
            (sqrt(x) < (1 + x) / 2, (0, 1), (1, 2)),  # a broken power at 0
            (exp(-1 / x) < x, (0, 1), None),  # an essential singularity at 0
        ],
    )
    def test_singular_ends(self, relation, on, zeros):
        variable = next(iter(relation.free_symbols))
        prove(relation, {variable: on}, zeros={variable: zeros} if zeros else None)

    def test_signs_of_factors(self):
        found = prove(h ** (1 / x) * log(h) ** 2 / x**3 > 0, {x: Interval.Lopen(0, 1), h: (0, 1)})
        assert found.detail == "enclosed by the signs of its factors"
        assert found.data["domain"] == "x in (0, 1], h in (0, 1)"
        prove(x**a < 1, {x: (0, 1), a: (0, 1)})

    def test_two_and_three_variables(self):
        prove(x**2 + y**2 + 1 > x * y, {x: (-oo, oo), y: (-3, 3)})
        prove(x * y * z <= (x**3 + y**3 + z**3) / 3 + Rational(1, 50), {v: Interval(0, 1) for v in (x, y, z)})

    def test_a_zero_for_all_values_of_a_parameter(self):
        prove(exp(-a * x) > 1 - a * x, {x: (0, 3), a: (Rational(1, 2), 2)}, zeros={x: (0, 2)})

    def test_zeros_in_two_variables_at_once(self):
        prove(exp(a * x) - 1 - a * x > 0, {x: (0, 1), a: (0, 1)}, zeros={x: (0, 2), a: (0, 2)})

    def test_a_zero_along_a_curve(self):
        options = {"zeros": {x: (y, 2)}, "where": [x < y]}
        prove(exp((x + y) / 2) < (exp(x) + exp(y)) / 2, {x: (0, 1), y: (0, 1)}, **options)
        prove(sqrt(x * y) < (x + y) / 2, {x: (Rational(1, 10), 1), y: (Rational(1, 10), 1)}, **options)

    def test_several_zeros_in_one_variable(self):
        prove(sp.sin(x) > 0, {x: (0, sp.pi)}, zeros={x: [(0, 1), (sp.pi, 1)]})
        golden = (sqrt(5) - 1) / 2
        prove(x**2 + x < 1, {x: (0, golden)}, zeros={x: (golden, 1)})

    def test_a_constraint_excludes_what_is_false(self):
        prove(x > y**2, {x: (0, 1), y: (0, 1)}, where=[x > y + Rational(1, 10)])

    def test_a_tail_with_parameters(self):
        prove(x**2 + a * x * exp(-a * x) > a, {x: (2, oo), a: (1, 2)})

    def test_a_declared_tail_bound_is_proved(self):
        prove(x - 1 + exp(-x) > 0, {x: half_line}, zeros={x: (0, 2)}, tail={x: (3, x / 2)})
        prove(sqrt(x**2 + 1) - x / 2 > 0, {x: half_line}, tail={x: (3, x / 4)})

    def test_kernels(self):
        from crawlproof.kernels.symbolic import phi1, psi

        prove(psi(x) > 0, {x: half_line}, zeros={x: (0, 2)})
        prove(phi1(x) < 1, {x: half_line}, zeros={x: (0, 1)})

    def test_twice_the_same(self):
        once, again = (prove((1 - exp(-q)) ** 2 > q**2 * exp(-q), {q: half_line}, zeros={q: (0, 4)}) for _ in "ab")
        assert once == again

    def test_the_margin_is_a_lower_bound(self):
        found = prove(x**2 + Rational(1, 3) > 0, {x: (-1, 1)})
        assert 0 < float(found.data["margin"]) <= 1 / 3


class TestRefused:
    @pytest.mark.parametrize(
        ("relation", "on", "options"),
        [
            (x - 1 + exp(-x) < 0, {x: half_line}, {"zeros": {x: (0, 2)}}),  # reversed
            (x - 1 - exp(-x) > 0, {x: half_line}, {}),  # a sign
            (x - 1 + exp(-2 * x) > 0, {x: half_line}, {"zeros": {x: (0, 1)}}),  # a factor: false only near 0
            (x**3 - x / 1000 > 0, {x: half_line}, {"zeros": {x: (0, 1)}}),
            (x - exp(-x) < 20, {x: half_line}, {}),  # false only far out
            (x * y < Rational(9, 10), {x: (0, 1), y: (0, 1)}, {}),  # false in a corner
            (sqrt(x * y) > (x + y) / 2, {x: (1, 2), y: (1, 2)}, {"zeros": {x: (y, 2)}, "where": [x < y]}),
        ],
    )
    def test_a_false_one_comes_with_a_point(self, relation, on, options):
        refuse("false: at", relation, on, **options)

    def test_the_point_is_one(self):
        with pytest.raises(CheckFailed, match=r"false: at x = (\S+) the difference") as caught:
            prove(log(x) < x - Rational(11, 10), {x: (0, oo)})
        value = sp.sympify(str(caught.value).split("x = ")[1].split(" the")[0])
        assert (log(value) >= value - Rational(11, 10)) == True  # noqa: E712

    def test_an_undeclared_zero_is_suggested(self):
        refuse("vanishes to order 2 at x = 0: declare it", x - 1 + exp(-x) > 0, {x: half_line})
        refuse("vanishes to order 2 at x = 0", x - 1 + exp(-x) > 0, {x: half_line}, zeros={x: (0, 1)})

    def test_a_declared_zero_is_verified(self):
        refuse("derivative of order 2 is 1", x - 1 + exp(-x) > 0, {x: half_line}, zeros={x: (0, 3)})
        refuse("f is 1 there", x + exp(-x) > 0, {x: half_line}, zeros={x: (0, 1)})
        refuse("outside the range", x + exp(-x) > 0, {x: (0, 1)}, zeros={x: (2, 1)})

    def test_a_strict_relation_at_its_own_zero(self):
        refuse("fails at the declared zero", x**2 - exp(x) * 0 > 0, {x: (-1, 1)}, zeros={x: (0, 2)})
        refuse("fails at the declared zero", sp.sin(x) > 0, {x: Interval(0, 1)}, zeros={x: (0, 1)})
        prove(sp.sin(x) >= 0, {x: Interval(0, 1)}, zeros={x: (0, 1)})
        refuse("not excluded", exp((x + y) / 2) < (exp(x) + exp(y)) / 2, {x: (0, 1), y: (0, 1)}, zeros={x: (y, 2)})

    def test_a_closed_end_belongs_to_the_statement(self):
        prove(x > 0, {x: (0, 1)})
        refuse("unproved", x > 0, {x: Interval(0, 1)})

    def test_where_a_side_is_not_real(self):
        refuse("unproved", exp(sqrt(x)) > 0, {x: (-1, 1)})

    def test_a_touching_inner_point(self):
        refuse("unproved", (x - Rational(1, 3)) ** 2 + x * 0 > 0, {x: (0, 1)})

    def test_a_wrong_tail_bound(self):
        options = {"zeros": {x: (0, 2)}}
        refuse("false", x - 1 + exp(-x) > 0, {x: half_line}, tail={x: (3, x)}, **options)
        refuse("false", x - 1 + exp(-x) > 0, {x: half_line}, tail={x: (3, -x)}, **options)
        refuse("no infinite upper end", x + 1 > 0, {x: (0, 1)}, tail={x: 3})

    @pytest.mark.parametrize("where", [[x > 2], [x > y, y > x + Rational(1, 100)], [sp.false]])
    def test_vacuous_constraints(self, where):
        refuse("vacuous", x * y > -1, {x: (0, 1), y: (0, 1)}, where=where)

    def test_a_budget(self):
        refuse("unproved after 3 boxes", (1 - exp(-q)) ** 2 > q**2 * exp(-q), {q: (1, 30)}, max_boxes=3)

    def test_what_cannot_be_enclosed(self):
        refuse("cannot be enclosed.*zeta", sp.zeta(x) > 1, {x: (2, 3)})
        refuse("no way to treat", sp.erf(x) < 1, {x: half_line})

    @pytest.mark.parametrize(
        ("relation", "on"),
        [(x**2 > 0.1, {x: (1, 2)}), (x**2 > 0, {x: (0.5, 2)}), (x + sp.Float(1) > 0, {x: (0, 1)})],
    )
    def test_floats(self, relation, on):
        with pytest.raises(FloatInBall):
            prove(relation, on)

    def test_ill_stated(self):
        refuse("no range was given for y", x > y, {x: (0, 1)})
        refuse("empty or a point", x > 0, {x: (1, 1)})
        refuse("constant True", sp.true, {x: (0, 1)})
        refuse("constant False", sp.false, {x: (0, 1)})
        positive = sp.Symbol("p", positive=True)
        refuse("one-signed", positive - 2 < 0, {positive: (-1, 1)})
        with pytest.raises(TypeError):
            prove(sp.Eq(x, 1), {x: (0, 1)})


class TestEachSafeguard:
    """False statements, each of which a single weakened line of the engine would prove."""

    def test_on_which_side_of_a_zero_a_box_lies(self):
        refuse("false|unproved", x - Rational(1, 3) >= 0, {x: (0, 1)}, zeros={x: (Rational(1, 3), 1)})
        refuse("false|unproved", Rational(1, 3) - x >= 0, {x: (0, 1)}, zeros={x: (Rational(1, 3), 1)})
        refuse("false|unproved", (x - Rational(1, 3)) ** 3 >= 0, {x: (0, 1)}, zeros={x: (Rational(1, 3), 3)})

    def test_a_tail_has_to_fall_from_its_start(self):
        p = sp.Symbol("p", positive=True)
        refuse("false|unproved", 10 - p**5 * exp(-p) > 0, {p: (Rational(3, 2), oo)}, tail={p: 2})
        refuse("false|unproved", 3 - p**3 * exp(-p / 2) > 0, {p: (Rational(3, 2), oo)}, tail={p: 2})

    def test_a_tail_of_logarithms_starts_beyond_1(self):
        p = sp.Symbol("p", positive=True)
        refuse("false|unproved", log(p) > 0, {p: (Rational(1, 2), oo)}, tail={p: Rational(1, 2)})
        refuse("false|unproved", log(p) + Rational(1, 2) > 0, {p: (Rational(1, 2), oo)}, tail={p: Rational(1, 2)})

    def test_two_names_of_one_zero_are_not_divided_out_twice(self):
        f = -(x - y) + (x - y) ** 2 / 2
        region = {x: (0, 1), y: (0, 1)}
        refuse("false|unproved", f >= 0, region, zeros={x: (y, 1), y: (x, 1)}, where=[x >= y])

    def test_the_mean_reaches_from_the_zero_to_the_box(self):
        region = {x: (Rational(8, 5), 2), y: (0, Rational(1, 20))}
        refuse("false|unproved", (x - y) * (x - y - 3) >= 0, region, zeros={x: (y, 1)})
        refuse("false|unproved", x * (x - 3) >= 0, {x: (0, 2)}, zeros={x: (0, 1)})

    def test_a_decay_has_to_have_a_sign(self):
        refuse("false|unproved|no way", 2 - exp(-a * x) > 0, {x: (0, oo), a: (-1, 1)})

    def test_a_jump_has_no_slope(self):
        refuse("false|unproved|cannot", 2 - sp.floor(x) > 0, {x: (0, 3)})

    def test_a_zero_needs_a_smooth_difference(self):
        refuse("smooth|false|unproved|there", sp.Abs(x) - x / 2 - x**2 >= 0, {x: (-1, 1)}, zeros={x: (0, 1)})

    def test_only_a_box_that_certainly_violates_is_skipped(self):
        refuse("false|unproved", y - x > Rational(-1, 10), {x: (0, 1), y: (0, 1)}, where=[x < y + Rational(1, 2)])


@pytest.mark.parametrize(
    ("value", "text"),
    [(fmpq(1, 3), "0.33"), (fmpq(2), "2.0"), (fmpq(199, 100), "1.9"), (fmpq(1, 10**9), "1.0e-9"), (fmpq(12345), "12000")],
)
def test_margins_are_rounded_down(value, text):
    assert _round_down(value) == text
