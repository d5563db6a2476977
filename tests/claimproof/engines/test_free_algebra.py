"""Identities for blocks of every size: what holds is proved, what does not hold is told apart by numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from claimproof.core.evidence import CheckFailed, ShownFalse
from claimproof.engines.free_algebra import (
    FreeAlgebra,
    Misshapen,
    Relation,
    block,
    derivative,
    equal,
    identity,
    kron,
    latex,
    size,
    wrong_forms,
    zero,
)

n, m, k = map(size, "nmk")
A, B, N = (block(name, n, n) for name in "ABN")
C, D, F = block("C", n, m), block("D", m, k), block("F", m, m)
e, p = block("e", n, 1), block("p", 1, n)
generator = Relation(A * e, -(B * e), A)  # rows of A + B sum to zero


@pytest.mark.parametrize(("left", "right", "relations"), [
    ((A * B).inverse(), B.inverse() * A.inverse(), ()),
    (A * (A + B).inverse() + B * (A + B).inverse(), identity(n), ()),
    ((A + B) * (A - B), A * A - A * B + B * A - B * B, ()),
    (A.inverse() - B.inverse(), A.inverse() * (B - A) * B.inverse(), ()),
    (kron(A, F) * kron(C, D), kron(A * C, F * D), ()),
    (kron(A + B, F), kron(A, F) + kron(B, F), ()),
    (kron(A, F).inverse() * kron(A, F), identity(n * m), ()),
    (kron(kron(A, F), N), kron(A, kron(F, N)), ()),
    (kron(A, identity(m)) * kron(identity(n), F), kron(identity(n), F) * kron(A, identity(m)), ()),
    (kron(C, e) * D, kron(C * D, e), ()),
    (B * (A + B) * e, zero(n, 1), (generator,)),
    ((-A).inverse() * B * e, e, (Relation(B * e, -(A * e), A),)),
    (p * A * N * 2, -(p * B * N) * 2, (generator, Relation(p * A, -(p * B), p))),
])
def test_identities_for_every_size(left, right, relations):
    evidence, tally = equal(left, right, relations)
    assert [found.kind.value for found in evidence] == ["symbolic", "sampled"]
    assert tally.killed == tally.total >= 4


@pytest.mark.parametrize(("left", "right", "relations"), [
    ((A * B).inverse(), A.inverse() * B.inverse(), ()),  # the order of factors
    ((A + B) * (A - B), A * A - B * B, ()),  # a dropped term
    (A.inverse() - B.inverse(), A.inverse() * (A - B) * B.inverse(), ()),  # a sign
    (A * B, B.inverse() * A, ()),  # an inverse where none belongs
    (kron(A, F) * kron(C, D), kron(A * C, F * D) * 2, ()),
    (kron(A, B), kron(B, A), ()),  # factors of equal shape
    (B * (A + B) * e, zero(n, 1), ()),  # the relation left out
    (A * B * e, -(A * A * e) + e, (generator,)),
    (A * (1 + Fraction(1, 10**6)), A, ()),
])
def test_false_identities_are_shown_false(left, right, relations):
    with pytest.raises(ShownFalse):
        equal(left, right, relations)


def test_what_rewriting_does_not_reach_is_not_called_false():
    # True (push-through), but no rule joins the two inverses.
    left, right = A * (identity(n) + B * A).inverse(), (identity(n) + A * B).inverse() * A
    with pytest.raises(CheckFailed, match="normal forms") as raised:
        equal(left, right)
    assert not isinstance(raised.value, ShownFalse)


def test_wrong_forms_are_rejected_and_really_differ():
    right = A.inverse() * (B - A) * B.inverse()
    named = " | ".join(what for what, _ in wrong_forms(right))
    for kind in ("exchanged", "sign of", "dropped", "not inverted", "in the place of", "a millionth more"):
        assert kind in named
    algebra = FreeAlgebra()
    left = A.inverse() - B.inverse()
    instances = algebra.instances([left, right], 5, seed=1)
    for what, wrong in wrong_forms(right):
        differs = any(_value(instance, wrong) != instance.value(left) for instance in instances)
        assert differs, what
        assert not algebra.proves(left, wrong), what


def _value(instance, of):
    try:
        return instance.value(of)
    except ZeroDivisionError:
        return None


def test_a_relation_that_is_not_needed_is_not_claimed_to_be():
    _, alone = equal(A * B * e + N * e - A * B * e, N * e)
    _, beside = equal(A * B * e + N * e - A * B * e, N * e, [generator])
    assert alone.total == beside.total  # without the relation the identity holds as well: no mutant


def test_relations_that_contradict_each_other_prove_nothing():
    with pytest.raises(CheckFailed, match="no matrices were found"):
        equal(A, B, [Relation(e, zero(n, 1), e), Relation(p * e, identity(1), p)])
    with pytest.raises(CheckFailed, match="give that one first"):
        equal(A, B, [Relation(p * e, identity(1), p), Relation(e, zero(n, 1), e)])


def test_relations_that_rewrite_each_other_in_a_circle_end():
    with pytest.raises(CheckFailed, match="circle"):
        FreeAlgebra((Relation(A * B, B * A, A), Relation(B * A, A * B, A))).proves(A * B, N)


def test_instances_meet_relations_and_have_no_single_size():
    algebra = FreeAlgebra((generator, Relation(p * (A + B), zero(1, n), p)))
    instances = algebra.instances([A, B, p, (-B).inverse()], 6, seed=3)
    for instance in instances:
        assert instance.value((A + B) * e) == instance.value(zero(n, 1))
        assert instance.value(p * (A + B)) == instance.value(zero(1, n))
    assert len({instance.sizes[n] for instance in instances}) > 1
    assert any(instance.value(p) != instance.value(zero(1, n)) for instance in instances)


@pytest.mark.parametrize("make", [
    lambda: A + C, lambda: C * A, lambda: C.inverse(), lambda: equal(A, C), lambda: Relation(A, B, N) and FreeAlgebra(
        (Relation(A, C, A),)),
])
def test_shapes_are_checked_for_every_size(make):
    with pytest.raises(Misshapen):
        make()


def test_numbers_only_as_exact_factors():
    with pytest.raises(CheckFailed, match="rational"):
        A * 0.5
    with pytest.raises(CheckFailed, match="can't be solved"):
        FreeAlgebra((Relation(A, B, N),))


def test_the_rule_of_leibniz():
    u = A.inverse()
    found = derivative(u * B * kron(A, identity(1)), {A: -identity(n)})
    equal(found, u * u * B * A - u * B)


def test_as_text():
    assert str(A * (B - N).inverse() * e * -1) == "-A (B - N)^-1 e"
    assert str(kron(A, identity(m)) + zero(n * m, n * m)) in ("(A (x) I_m)", "A (x) I_m")
    assert latex(kron(A, F).inverse()) == r"(A \otimes F)^{-1}"
