"""A small symbol table and random formulas in its symbols."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from claimproof.core import tree as t
from claimproof.core.symbols import Domain, Kernel, Symbol, SymbolTable
from claimproof.core.tree import Apply, Tree, TreeError


def _symbols() -> dict[str, Symbol]:
    rows = [
        ("mu", r"\mu", Domain.POSITIVE), ("EX", r"\mathrm{E}X", Domain.POSITIVE), ("EZ", r"\mathrm{E}Z", Domain.NONNEGATIVE),
        ("h", "h", Domain.OPEN_UNIT), ("d", "d", Domain.POSITIVE_INTEGER), ("N", "N", Domain.POSITIVE_INTEGER),
        ("k", "k", Domain.INTEGER), ("n", "n", Domain.NONNEGATIVE_INTEGER), ("i", "i", Domain.POSITIVE_INTEGER),
        ("x", "x", Domain.REAL), ("y", "y", Domain.NONNEGATIVE), ("t", "t", Domain.POSITIVE),
        ("V2", "V^{(2)}", Domain.POSITIVE), ("x0", "x_{0}", Domain.REAL),
    ]
    found = {name: Symbol(name, latex, domain, f"meaning of {name}") for name, latex, domain in rows}
    found["kappa"] = Symbol("kappa", r"\kappa", Domain.POSITIVE, "a family", None, (Domain.POSITIVE_INTEGER,))
    found["H"] = Symbol("H", "H", Domain.POSITIVE, "a function", None, (Domain.POSITIVE,))
    return found


@pytest.fixture(scope="session")
def table() -> SymbolTable:
    return SymbolTable(_symbols(), {"psi": Kernel("psi", r"\psi", 1)}, "paper/symbols.toml")


_NAMES = ("mu", "h", "d", "x", "y", "x0", "V2")
_TWO_PLACES = ("Add", "Sub", "Mul", "Pow", "Max", "Mod")
_ONE_PLACE = ("exp", "log", "sqrt", "Abs", "floor", "ceiling", "atan", "cosh", "gamma", "psi", "LambertW")


def _leaf(rng: random.Random) -> Tree:
    return rng.choice([
        t.Number(Fraction(rng.randint(-9, 9), rng.randint(1, 6))),
        t.Name(rng.choice(_NAMES)),
        t.Name(rng.choice(_NAMES)),
        t.Constant(rng.choice(("pi", "E", "phi"))),
        t.Indexed("kappa", (t.Name("i"),)),
        Apply("H", (t.Name("t"),)),
    ])


def _number(rng: random.Random, depth: int) -> Tree:
    """A random number; a constructor may refuse (a division by zero, a power that is too large): then another one."""

    def inner() -> Tree:
        return _number(rng, depth - 1)

    if depth == 0 or rng.random() < 0.15:
        return _leaf(rng)
    forms: list[Callable[[], Tree]] = [
        *(4 * [lambda: Apply(rng.choice(_TWO_PLACES), (inner(), inner()))]),
        *(2 * [lambda: t.div(inner(), inner())]),
        lambda: t.neg(inner()),
        lambda: Apply(rng.choice(_ONE_PLACE), (inner(),)),
        lambda: t.Ranged("Sum", Apply("Mul", (inner(), t.Name("k"))), "k", inner(), t.Name("N")),
        lambda: t.Ranged("Integral", inner(), "t", t.MINUS_INFINITY, rng.choice((inner(), t.INFINITY))),
        lambda: t.Derivative(inner(), "x", rng.randint(1, 3)),
        lambda: t.Limit(inner(), "x", t.number(1), rng.choice(list(t.Side))),
        lambda: t.Cases(((inner(), _relation(rng, depth - 1)),), inner()),
    ]
    while True:
        try:
            return rng.choice(forms)()
        except TreeError:
            continue


def _relation(rng: random.Random, depth: int) -> Tree:
    return Apply(rng.choice(t.RELATIONS), (_number(rng, depth), _number(rng, depth)))


def _proposition(rng: random.Random, depth: int) -> Tree:
    one, other = _relation(rng, depth), _relation(rng, depth)
    return rng.choice([
        one, Apply("And", (one, other)), Apply("Or", (one, other)), Apply("Implies", (one, other)), Apply("Not", (one,)),
        Apply("Equivalent", (one, other)), t.Series(t.Name("x"), "x", t.number(0), 2, _leaf(rng)),
    ])


@pytest.fixture(scope="session")
def trees() -> tuple[Tree, ...]:
    """Random formulas, always the same: numbers first, then propositions."""
    rng = random.Random(20)
    return (*(_number(rng, 4) for _ in range(300)), *(_proposition(rng, 3) for _ in range(100)))
