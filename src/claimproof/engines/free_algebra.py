"""Identities between blocks of every size: non-commuting symbols with shapes, inverses and given relations.

Two expressions are compared by normal forms: sums of words, in which a block next to its inverse disappears, the
given relations rewrite their left sides, and Kronecker products multiply factor by factor. Where the normal forms
agree, the identity holds for matrices of every size that meet the relations, since no step used a size. Where they
don't, nothing is said: matrices of random sizes over the rationals, which meet the relations, have to show it.

>>> n = size("n")
>>> A, B = block("A", n, n), block("B", n, n)
>>> FreeAlgebra().proves((A * B).inverse(), B.inverse() * A.inverse())
True
"""

from __future__ import annotations

import functools
import itertools
import operator
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeAlias

import sympy as sp
from flint import fmpq, fmpq_mat

from claimproof.core.evidence import CheckFailed, Evidence, Kind, ShownFalse
from claimproof.engines import mutants
from claimproof.engines.sampler import seed_of

MOST_STEPS = 20_000
INSTANCES = 5
ATTEMPTS = 60
LARGEST = 3
LIMIT = 24

Size: TypeAlias = sp.Expr


class Misshapen(CheckFailed):
    """Blocks that can't be added or multiplied: their shapes don't fit for every size."""


# ---- expressions ------------------------------------------------------------------------


def size(name: str) -> sp.Symbol:
    """A number of rows or columns, any from 1 on."""
    return sp.Symbol(name, integer=True, positive=True)


def block(name: str, rows: Any, columns: Any) -> Letter:
    """Any matrix of that shape."""
    return Letter(name, sp.sympify(rows), sp.sympify(columns))


def identity(rows: Any) -> Block:
    return Identity(sp.sympify(rows))


def zero(rows: Any, columns: Any) -> Block:
    return Total((), (sp.sympify(rows), sp.sympify(columns)))


def kron(*factors: Block) -> Block:
    return Kron(factors)


@dataclass(frozen=True)
class Block:
    """An expression in blocks; a product keeps the order of its factors."""

    @property
    def shape(self) -> tuple[Size, Size]:
        raise NotImplementedError

    def __add__(self, other: Block) -> Block:
        return Total((*_terms(self), *_terms(other)), self.shape)

    def __sub__(self, other: Block) -> Block:
        return self + -other

    def __neg__(self) -> Block:
        return self * -1

    def __mul__(self, other: Any) -> Block:
        if isinstance(other, Block):
            return Product((*_factors(self), *_factors(other)))
        scale = _rational(other)
        return Total(tuple((scale * c, term) for c, term in _terms(self)), self.shape)

    __rmul__ = __mul__  # of numbers only, which commute with everything

    def inverse(self) -> Block:
        return Inverse(self)

    def __str__(self) -> str:
        return _text(self, _PLAIN)


@dataclass(frozen=True)
class Letter(Block):
    name: str
    rows: Size
    columns: Size

    @property
    def shape(self) -> tuple[Size, Size]:
        return self.rows, self.columns


@dataclass(frozen=True)
class Identity(Block):
    rows: Size

    @property
    def shape(self) -> tuple[Size, Size]:
        return self.rows, self.rows


@dataclass(frozen=True)
class Total(Block):
    """A sum of multiples; without terms it is zero."""

    terms: tuple[tuple[Fraction, Block], ...]
    of: tuple[Size, Size]

    def __post_init__(self) -> None:
        for _, term in self.terms:
            if not _fits(term.shape, self.of):
                raise Misshapen(f"{term} is {_shape(term)} and can't be added to blocks of {self.of[0]} x {self.of[1]}")

    @property
    def shape(self) -> tuple[Size, Size]:
        return self.of


@dataclass(frozen=True)
class Product(Block):
    factors: tuple[Block, ...]

    def __post_init__(self) -> None:
        for left, right in itertools.pairwise(self.factors):
            if not _fits(left.shape[1:], right.shape[:1]):
                raise Misshapen(f"{left} is {_shape(left)} and can't be multiplied by {right}, which is {_shape(right)}")

    @property
    def shape(self) -> tuple[Size, Size]:
        return self.factors[0].shape[0], self.factors[-1].shape[1]


@dataclass(frozen=True)
class Kron(Block):
    factors: tuple[Block, ...]

    def __post_init__(self) -> None:
        if len(self.factors) < 2:
            raise Misshapen("a Kronecker product has two factors at least")

    @property
    def shape(self) -> tuple[Size, Size]:
        rows, columns = zip(*(factor.shape for factor in self.factors), strict=True)
        return sp.Mul(*rows), sp.Mul(*columns)


@dataclass(frozen=True)
class Inverse(Block):
    of: Block

    def __post_init__(self) -> None:
        if not _is_square(self.of):
            raise Misshapen(f"{self.of} is {_shape(self.of)} and has no inverse for every size")

    @property
    def shape(self) -> tuple[Size, Size]:
        return self.of.shape


def _fits(one: tuple[Size, ...], other: tuple[Size, ...]) -> bool:
    return all(sp.expand(a - b) == 0 for a, b in zip(one, other, strict=True))


def _is_square(of: Block) -> bool:
    return _fits(of.shape[:1], of.shape[1:])


def _shape(of: Block) -> str:
    return f"{of.shape[0]} x {of.shape[1]}"


def _rational(value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Fraction | sp.Rational):
        raise CheckFailed(f"a block can be multiplied by a rational number or a block, not by {value!r}")
    return Fraction(int(value.p), int(value.q)) if isinstance(value, sp.Rational) else Fraction(value)


def _terms(of: Block) -> tuple[tuple[Fraction, Block], ...]:
    return of.terms if isinstance(of, Total) else ((Fraction(1), of),)


def _factors(of: Block) -> tuple[Block, ...]:
    return of.factors if isinstance(of, Product) else (of,)


def parts(of: Block) -> tuple[Block, ...]:
    match of:
        case Total(terms, _):
            return tuple(term for _, term in terms)
        case Product(factors) | Kron(factors):
            return factors
        case Inverse(inner):
            return (inner,)
        case _:
            return ()


def _rebuilt(of: Block, new: Sequence[Block]) -> Block:
    match of:
        case Total(terms, shape):
            return Total(tuple((c, term) for (c, _), term in zip(terms, new, strict=True)), shape)
        case Product() | Kron():
            return type(of)(tuple(new))
        case Inverse():
            return Inverse(*new)
        case _:
            return of


def letters(*blocks: Block) -> tuple[Letter, ...]:
    """The letters of some expressions, each once, in the order of their first occurrence."""
    found: dict[Letter, None] = {}
    for of in blocks:
        if isinstance(of, Letter):
            found[of] = None
        found |= dict.fromkeys(letters(*parts(of)))
    return tuple(found)


def has_inverses(*blocks: Block) -> bool:
    return any(isinstance(of, Inverse) or has_inverses(*parts(of)) for of in blocks)


def derivative(of: Block, rules: Mapping[Letter, Block]) -> Block:
    """The derivative by the rule of Leibniz, from those of some letters; the other letters are constant."""
    match of:
        case Letter():
            return rules.get(of, zero(*of.shape))
        case Total(terms, shape):
            return functools.reduce(operator.add, (c * derivative(term, rules) for c, term in terms), zero(*shape))
        case Product(factors) | Kron(factors):
            each = (
                type(of)((*factors[:place], derivative(factor, rules), *factors[place + 1:]))
                for place, factor in enumerate(factors)
            )
            return functools.reduce(operator.add, each, zero(*of.shape))
        case Inverse(inner):
            return -(of * derivative(inner, rules) * of)
        case _:
            return zero(*of.shape)


# ---- as text ----------------------------------------------------------------------------

_PLAIN = {"times": " ", "kron": " (x) ", "inverse": "^-1", "identity": "I_"}
_LATEX = {"times": " ", "kron": r" \otimes ", "inverse": "^{-1}", "identity": "I_"}


def latex(of: Block) -> str:
    return _text(of, _LATEX)


def _text(of: Block, signs: Mapping[str, str]) -> str:
    def inner(part: Block, tight: tuple[type[Block], ...]) -> str:
        text = _text(part, signs)
        return text if isinstance(part, tight) else f"({text})"

    match of:
        case Letter(name):
            return name
        case Identity(rows):
            return f"{signs['identity']}{{{sp.latex(rows)}}}" if signs is _LATEX else f"{signs['identity']}{rows}"
        case Total((), _):
            return "0"
        case Total(terms, _):
            written = " ".join(_term(c, inner(term, (Letter, Identity, Product, Inverse))) for c, term in terms)
            return written[2:] if written.startswith("+ ") else f"-{written[2:]}"
        case Product(factors):
            return signs["times"].join(inner(f, (Letter, Identity, Inverse)) for f in factors)
        case Kron(factors):
            return signs["kron"].join(inner(f, (Letter, Identity, Inverse)) for f in factors)
        case Inverse(base):
            return f"{inner(base, (Letter,))}{signs['inverse']}"
        case _:
            raise TypeError(f"{of!r} is no block")


def _term(coefficient: Fraction, text: str) -> str:
    size_ = abs(coefficient)
    return f"{'-' if coefficient < 0 else '+'} {'' if size_ == 1 else f'{size_} '}{text}"


# ---- normal forms -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Inverted:
    """The inverse of a sum of words, as a letter of its own."""

    of: tuple[tuple[Word, Fraction], ...]
    rows: Size


@dataclass(frozen=True)
class _Beside:
    """A Kronecker product of words, each with its shape: an empty word is an identity of that size."""

    words: tuple[tuple[Word, Size, Size], ...]


Atom: TypeAlias = Letter | _Inverted | _Beside
Word: TypeAlias = tuple[Atom, ...]
Polynomial: TypeAlias = dict[Word, Fraction]
_ONE: Polynomial = {(): Fraction(1)}


def _order(word: Word) -> tuple[int, str]:
    """Longer words first: what a rule puts in their place is shorter, or earlier in the alphabet."""
    return len(word), repr(word)


def _sum(*polynomials: tuple[Fraction, Polynomial]) -> Polynomial:
    found: Polynomial = {}
    for factor, polynomial in polynomials:
        for word, coefficient in polynomial.items():
            found[word] = found.get(word, Fraction(0)) + factor * coefficient
    return {word: c for word, c in found.items() if c != 0}


@dataclass(frozen=True)
class Relation:
    """What is known of the blocks: the left side may be replaced by the right one.

    ``solving`` names the letter that is solved for, so that the relation is met, when instances are made.
    """

    left: Block
    right: Block
    solving: Letter

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"


@dataclass(frozen=True)
class FreeAlgebra:
    """Blocks under some relations: decides identities by rewriting, and makes instances of them."""

    relations: tuple[Relation, ...] = ()
    _steps: list[int] = field(default_factory=lambda: [0], compare=False)

    def __post_init__(self) -> None:
        for relation in self.relations:
            if not _fits(relation.left.shape, relation.right.shape):
                raise Misshapen(f"{relation} compares {_shape(relation.left)} with {_shape(relation.right)}")
            if relation.solving not in letters(relation.left, relation.right):
                raise CheckFailed(f"the relation {relation} can't be solved for {relation.solving}, which it doesn't have")

    def proves(self, left: Block, right: Block) -> bool:
        """Whether the normal forms agree; False says nothing."""
        if not _fits(left.shape, right.shape):
            raise Misshapen(f"{left} is {_shape(left)} and {right} is {_shape(right)}")
        return not self.remainder(left, right)

    def remainder(self, left: Block, right: Block) -> Polynomial:
        """The normal form of left - right."""
        self._steps[0] = 0
        rules = self._rules(left, right)
        return self._normal(left - right, rules)

    def _rules(self, *blocks: Block) -> dict[Word, Polynomial]:
        """Leading words and what takes their place: the relations', and a block next to its inverse.

        Inner inverses come first, since outer ones are named by their normal forms.
        """
        rules: dict[Word, Polynomial] = {}
        everything = (*blocks, *(side for r in self.relations for side in (r.left, r.right)))
        for of in everything:
            self._add_inverses(of, rules)
        for relation in self.relations:
            self._add_relation(relation, rules)
        for of in everything:  # once more: a relation may have changed what is inside
            self._add_inverses(of, rules)
        return rules

    def _add_relation(self, relation: Relation, rules: dict[Word, Polynomial]) -> None:
        """A left side of one word is replaced by the right side; of a longer one, the leading word of the difference."""
        left, right = (self._normal(side, rules) for side in (relation.left, relation.right))
        if len(left) == 1 and () not in left:
            ((lead, scale),) = left.items()
            rules[lead] = {word: c / scale for word, c in right.items()}
            return
        rest = _sum((Fraction(1), left), (Fraction(-1), right))
        if not rest:
            raise CheckFailed(f"the relation {relation} says nothing")
        lead = max(rest, key=_order)
        scale = rest.pop(lead)
        rules[lead] = {word: -c / scale for word, c in rest.items()}

    def _add_inverses(self, of: Block, rules: dict[Word, Polynomial]) -> None:
        for part in parts(of):
            self._add_inverses(part, rules)
        if isinstance(of, Inverse):
            for word in self._normal(of, rules):
                for atom in _inverted(word):
                    _add_inverse(atom, rules)

    # ---- rewriting

    def _normal(self, of: Block, rules: Mapping[Word, Polynomial]) -> Polynomial:
        match of:
            case Letter():
                return self._reduced((of,), rules)
            case Identity():
                return dict(_ONE)
            case Total(terms, _):
                return _sum(*((c, self._normal(term, rules)) for c, term in terms))
            case Product(factors):
                return functools.reduce(
                    lambda a, b: self._times(a, b, rules), (self._normal(f, rules) for f in factors), dict(_ONE)
                )
            case Kron(factors):
                return self._beside([(self._normal(f, rules), *f.shape) for f in factors], rules)
            case Inverse(inner):
                return self._inverse(inner, rules)
            case _:
                raise TypeError(f"{of!r} is no block")

    def _times(self, left: Polynomial, right: Polynomial, rules: Mapping[Word, Polynomial]) -> Polynomial:
        return _sum(*(
            (a * b, self._reduced(one + other, rules)) for one, a in left.items() for other, b in right.items()
        ))

    def _reduced(self, word: Word, rules: Mapping[Word, Polynomial]) -> Polynomial:
        """A word rewritten until no rule applies to any of what has become of it."""
        done: Polynomial = {}
        pending: list[tuple[Word, Fraction]] = [(word, Fraction(1))]
        while pending:
            current, coefficient = pending.pop()
            new = self._step(current, rules)
            if new is None:
                done[current] = done.get(current, Fraction(0)) + coefficient
            else:
                pending += [(other, coefficient * c) for other, c in new.items()]
        return {other: c for other, c in done.items() if c != 0}

    def _step(self, word: Word, rules: Mapping[Word, Polynomial]) -> Polynomial | None:
        self._steps[0] += 1
        if self._steps[0] > MOST_STEPS:
            raise CheckFailed(f"rewriting did not end in {MOST_STEPS} steps: the relations rewrite each other in a circle")
        for start in range(len(word)):
            for end in range(start + 1, len(word) + 1):
                if (new := rules.get(word[start:end])) is not None:
                    return {word[:start] + middle + word[end:]: c for middle, c in new.items()}
            if start + 1 < len(word) and (new := self._mixed(word[start], word[start + 1], rules)) is not None:
                return {word[:start] + middle + word[start + 2:]: c for middle, c in new.items()}
        return None

    def _mixed(self, one: Atom, other: Atom, rules: Mapping[Word, Polynomial]) -> Polynomial | None:
        """(A (x) B)(C (x) D) = AC (x) BD where A fits C and B fits D; a factor that is one column wide (one row high)
        stands beside whatever the others are multiplied by."""
        match one, other:
            case _Beside(left), _Beside(right) if len(left) == len(right):
                pairs = list(zip(left, right, strict=True))
                if not all(_fits((a[2],), (b[1],)) for a, b in pairs):
                    return None
                return self._beside([(self._reduced(a[0] + b[0], rules), a[1], b[2]) for a, b in pairs], rules)
            case _Beside(left), Letter() | _Inverted():
                place = _only_wide([columns for _, _, columns in left])
                factor, columns = (other,), other.columns if isinstance(other, Letter) else other.rows
                return None if place is None else self._beside([
                    (self._reduced(w + factor, rules), rows, columns) if i == place else ({w: Fraction(1)}, rows, width)
                    for i, (w, rows, width) in enumerate(left)
                ], rules)
            case Letter() | _Inverted(), _Beside(right):
                place = _only_wide([rows for _, rows, _ in right])
                return None if place is None else self._beside([
                    (self._reduced((one, *w), rules), one.rows, columns) if i == place else ({w: Fraction(1)}, height, columns)
                    for i, (w, height, columns) in enumerate(right)
                ], rules)
            case _:
                return None

    def _beside(self, factors: Sequence[tuple[Polynomial, Size, Size]], rules: Mapping[Word, Polynomial]) -> Polynomial:
        """A Kronecker product of sums as a sum of Kronecker products of words."""
        found: list[tuple[Fraction, Polynomial]] = []
        for choice in itertools.product(*(polynomial.items() for polynomial, _, _ in factors)):
            flat: list[tuple[Word, Size, Size]] = []
            for (word, _), (_, rows, columns) in zip(choice, factors, strict=True):
                flat += word[0].words if len(word) == 1 and isinstance(word[0], _Beside) else [(word, rows, columns)]
            coefficient = functools.reduce(operator.mul, (c for _, c in choice), Fraction(1))
            found.append((coefficient, self._beside_word(tuple(flat), rules)))
        return _sum(*found)

    def _beside_word(self, flat: tuple[tuple[Word, Size, Size], ...], rules: Mapping[Word, Polynomial]) -> Polynomial:
        wider = tuple(entry for entry in flat if entry[0] or entry[1] != 1)  # the identity of size 1 changes nothing
        if all(not word for word, _, _ in wider):
            return dict(_ONE)
        if len(wider) == 1:
            return self._reduced(wider[0][0], rules)
        return self._reduced((_Beside(wider),), rules)

    def _inverse(self, inner: Block, rules: Mapping[Word, Polynomial]) -> Polynomial:
        match inner:
            case Inverse(base):
                return self._normal(base, rules)
            case Product(factors) if all(map(_is_square, factors)):
                return self._normal(Product(tuple(Inverse(f) for f in reversed(factors))), rules)
            case Kron(factors) if all(map(_is_square, factors)):
                return self._normal(Kron(tuple(Inverse(f) for f in factors)), rules)
        polynomial = self._normal(inner, rules)
        if not polynomial:
            raise CheckFailed(f"{inner} is zero and has no inverse")
        if list(polynomial) == [()]:
            return {(): 1 / polynomial[()]}
        lead = polynomial[max(polynomial, key=_order)]
        monic = tuple(sorted(((word, c / lead) for word, c in polynomial.items()), key=lambda entry: _order(entry[0])))
        found = self._reduced((_Inverted(monic, inner.shape[0]),), rules)
        return {word: c / lead for word, c in found.items()}

    # ---- instances

    def instances(self, blocks: Sequence[Block], count: int, seed: int) -> list[Instance]:
        """Matrices of random sizes over the rationals that meet every relation and have every inverse."""
        rng = random.Random(seed)
        found: list[Instance] = []
        for _ in range(ATTEMPTS * count):
            instance = self._instance(blocks, rng)
            if instance is not None:
                found.append(instance)
            if len(found) == count:
                return found
        raise CheckFailed(
            "no matrices were found that meet the relations and have the inverses: "
            + ("; ".join(map(str, self.relations)) or "; ".join(map(str, blocks)))
        )

    def _solved(self) -> tuple[Letter, ...]:
        """The letters that are solved for, in the order of the relations, which has to be one that can be gone."""
        solved = tuple(dict.fromkeys(r.solving for r in self.relations))
        for place, letter in enumerate(solved):
            for relation in self.relations:
                missing = [x for x in letters(relation.left, relation.right) if x in solved[place + 1:]]
                if relation.solving == letter and missing:
                    raise CheckFailed(f"{relation} can't be solved for {letter} before {missing[0]} is known: give that one first")
        return solved

    def _instance(self, blocks: Sequence[Block], rng: random.Random) -> Instance | None:
        sides = [side for r in self.relations for side in (r.left, r.right)]
        known = letters(*blocks, *sides)
        symbols = sorted({s for of in known for length in of.shape for s in length.free_symbols}, key=str)
        sizes = {symbol: rng.randint(1, LARGEST) for symbol in symbols}
        solved = self._solved()
        instance = Instance(sizes, {of: _random_matrix(of, sizes, rng) for of in known if of not in solved})
        try:
            for letter in solved:
                instance = instance.with_solution(letter, [r for r in self.relations if r.solving == letter], rng)
            if any(instance.value(r.left) != instance.value(r.right) for r in self.relations):
                return None
            for of in blocks:
                instance.value(of)
        except ZeroDivisionError:  # an inverse that these matrices don't have
            return None
        return instance


def _only_wide(lengths: Sequence[Size]) -> int | None:
    """The one place whose length is not 1."""
    wide = [place for place, length in enumerate(lengths) if length != 1]
    return wide[0] if len(wide) == 1 else None


def _inverted(word: Word) -> Iterator[_Inverted]:
    for atom in word:
        if isinstance(atom, _Inverted):
            yield atom
        elif isinstance(atom, _Beside):
            for inner, _, _ in atom.words:
                yield from _inverted(inner)


def _add_inverse(atom: _Inverted, rules: dict[Word, Polynomial]) -> None:
    """P I = 1 and I P = 1, for the leading word of P."""
    *rest, (lead, _) = atom.of  # monic
    one = (atom,)
    rules.setdefault(lead + one, _sum((Fraction(1), _ONE), *((-c, {word + one: Fraction(1)}) for word, c in rest)))
    rules.setdefault(one + lead, _sum((Fraction(1), _ONE), *((-c, {one + word: Fraction(1)}) for word, c in rest)))


# ---- in numbers -------------------------------------------------------------------------


class _NotSolvable(ZeroDivisionError):
    """These matrices can't be completed so that they meet the relations."""


@dataclass(frozen=True)
class Instance:
    """Sizes and matrices; expressions are evaluated as they are written, without any rewriting."""

    sizes: Mapping[sp.Symbol, int]
    matrices: Mapping[Letter, fmpq_mat]

    def value(self, of: Block) -> fmpq_mat:
        match of:
            case Letter():
                return self.matrices[of]
            case Identity(rows):
                n = self._length(rows)
                return fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
            case Total(terms, (rows, columns)):
                nothing = fmpq_mat(self._length(rows), self._length(columns))
                return sum((self.value(term) * fmpq(c.numerator, c.denominator) for c, term in terms), nothing)
            case Product(factors):
                return functools.reduce(operator.mul, map(self.value, factors))
            case Kron(factors):
                return functools.reduce(_kron, map(self.value, factors))
            case Inverse(inner):
                return self.value(inner).inv()
            case _:
                raise TypeError(f"{of!r} is no block")

    def _length(self, length: Size) -> int:
        return int(length.subs(self.sizes))

    def with_solution(self, letter: Letter, relations: Sequence[Relation], rng: random.Random) -> Instance:
        """A random matrix for a letter that meets relations which are linear in it."""
        rows, columns = self._length(letter.rows), self._length(letter.columns)

        def gap(entries: Sequence[Any]) -> list[fmpq]:
            tried = replace(self, matrices={**self.matrices, letter: fmpq_mat(rows, columns, list(entries))})
            return [v for r in relations for v in (tried.value(r.left) - tried.value(r.right)).entries()]

        count = rows * columns
        constant = gap([0] * count)
        slopes = [gap([int(i == place) for i in range(count)]) for place in range(count)]
        augmented = fmpq_mat([
            [*(slopes[j][i] - constant[i] for j in range(count)), -constant[i]] for i in range(len(constant))
        ])
        reduced, rank = augmented.rref()
        values = [fmpq(rng.randint(-3, 3), rng.randint(1, 3)) for _ in range(count)]
        for i in reversed(range(rank)):
            pivot = next(j for j in range(count + 1) if reduced[i, j] != 0)
            if pivot == count:
                raise _NotSolvable(f"no {letter} meets the relations here")
            values[pivot] = reduced[i, count] - sum(
                (reduced[i, j] * values[j] for j in range(pivot + 1, count)), fmpq(0)
            )
        return replace(self, matrices={**self.matrices, letter: fmpq_mat(rows, columns, values)})


def _random_matrix(of: Letter, sizes: Mapping[sp.Symbol, int], rng: random.Random) -> fmpq_mat:
    rows, columns = (int(length.subs(sizes)) for length in of.shape)
    return fmpq_mat(rows, columns, [fmpq(rng.randint(-4, 4), rng.randint(1, 3)) for _ in range(rows * columns)])


def _kron(a: fmpq_mat, b: fmpq_mat) -> fmpq_mat:
    rows, columns = a.nrows() * b.nrows(), a.ncols() * b.ncols()
    return fmpq_mat(rows, columns, [
        a[i // b.nrows(), j // b.ncols()] * b[i % b.nrows(), j % b.ncols()] for i in range(rows) for j in range(columns)
    ])


# ---- made wrong -------------------------------------------------------------------------


def wrong_forms(of: Block, limit: int = LIMIT) -> list[tuple[str, Block]]:
    """Variants that are meant to be wrong, from the kinds in turn: order, sign, a term or an inverse left out, an index."""
    queues = [make(of) for make in (_swapped, _signs, _dropped, _not_inverted, _exchanged, _as_a_whole)]
    found: dict[Block, str] = {}
    while queues and len(found) < limit:
        for queue in list(queues):
            try:
                what, wrong = next(queue)
            except StopIteration:
                queues.remove(queue)
                continue
            except Misshapen:
                continue
            if wrong != of:
                found.setdefault(wrong, what)
    return [(what, wrong) for wrong, what in found.items()][:limit]


def _everywhere(of: Block, change: Any) -> Iterator[tuple[str, Block]]:
    yield from change(of)
    for place, part in enumerate(parts(of)):
        for what, wrong in _everywhere(part, change):
            try:
                yield what, _rebuilt(of, (*parts(of)[:place], wrong, *parts(of)[place + 1:]))
            except Misshapen:
                continue


def _fitting(made: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Block]]:
    """Those that have a shape: two factors can't always be exchanged."""
    for what, make in made:
        try:
            yield what, make()
        except Misshapen:
            continue


def _swapped(of: Block) -> Iterator[tuple[str, Block]]:
    def here(node: Block) -> Iterator[tuple[str, Block]]:
        if isinstance(node, Product | Kron):
            yield from _fitting(
                (f"{a} and {b} exchanged",
                 lambda i=i: type(node)((*node.factors[:i], node.factors[i + 1], node.factors[i], *node.factors[i + 2:])))
                for i, (a, b) in enumerate(itertools.pairwise(node.factors))
            )
    return _everywhere(of, here)


def _signs(of: Block) -> Iterator[tuple[str, Block]]:
    def here(node: Block) -> Iterator[tuple[str, Block]]:
        if isinstance(node, Total):
            for i, (c, term) in enumerate(node.terms):
                yield f"sign of {term}", replace(node, terms=(*node.terms[:i], (-c, term), *node.terms[i + 1:]))
    return _everywhere(of, here)


def _dropped(of: Block) -> Iterator[tuple[str, Block]]:
    def here(node: Block) -> Iterator[tuple[str, Block]]:
        if isinstance(node, Total):
            for i, (_, term) in enumerate(node.terms):
                yield f"{term} dropped", replace(node, terms=node.terms[:i] + node.terms[i + 1:])
        if isinstance(node, Product):
            yield from _fitting(
                (f"factor {factor} dropped", lambda i=i: Product(node.factors[:i] + node.factors[i + 1:]))
                for i, factor in enumerate(node.factors) if _is_square(factor) and len(node.factors) > 1
            )
    return _everywhere(of, here)


def _not_inverted(of: Block) -> Iterator[tuple[str, Block]]:
    def here(node: Block) -> Iterator[tuple[str, Block]]:
        if isinstance(node, Inverse):
            yield f"{node} not inverted", node.of
    return _everywhere(of, here)


def _exchanged(of: Block) -> Iterator[tuple[str, Block]]:
    known = letters(of)

    def here(node: Block) -> Iterator[tuple[str, Block]]:
        if isinstance(node, Letter):
            for other in known:
                if other != node and _fits(other.shape, node.shape):
                    yield f"{other} in the place of {node}", other
    return _everywhere(of, here)


def _as_a_whole(of: Block) -> Iterator[tuple[str, Block]]:
    yield "sign of the whole", -of
    yield "twice the whole", of * 2
    yield "a millionth more", of * (1 + Fraction(1, 10**6))
    if _is_square(of):
        yield "one added", of + identity(of.shape[0])


# ---- the check --------------------------------------------------------------------------


def equal(left: Block, right: Block, relations: Sequence[Relation] = ()) -> tuple[list[Evidence], mutants.Tally]:
    """left = right for blocks of every size that meet the relations: by normal forms, then at random instances, then
    against wrong forms of either side and without each relation, where instances show them to be wrong."""
    if not _fits(left.shape, right.shape):
        raise Misshapen(f"{left} is {_shape(left)} and {right} is {_shape(right)}")
    algebra = FreeAlgebra(tuple(relations))
    seed = seed_of(f"{left} = {right}")
    instances = algebra.instances([left, right], INSTANCES, seed)
    for instance in instances:
        if instance.value(left) != instance.value(right):
            raise ShownFalse(f"false for blocks of sizes {_sizes(instance)}: {left} against {right}")
    if not algebra.proves(left, right):
        raise CheckFailed(f"the normal forms of {left} and {right} differ: the relations don't turn one into the other")
    evidence = [_proof(left, right, relations), Evidence(
        Kind.SAMPLED, f"evaluated exactly at {len(instances)} instances of random sizes",
        {"true": len(instances), "false": 0, "cannot_tell": 0},
    )]
    tally = _tried(algebra, left, right, instances) + _without_relations(algebra, left, right, seed)
    if not tally.total:
        raise CheckFailed(f"no wrong form of {left} = {right} is shown to be wrong: nothing would be noticed")
    return evidence, tally


def _proof(left: Block, right: Block, relations: Sequence[Relation]) -> Evidence:
    data: dict[str, Any] = {"rule": "free algebra", "relations": [str(r) for r in relations]}
    if left == right:
        data["vacuous"] = True
    under = f", {len(relations)} relation{'s' * (len(relations) > 1)}" if relations else ""
    return Evidence(Kind.SYMBOLIC, f"symbolic (free algebra, blocks of every size{under})", data)


def _sizes(instance: Instance) -> str:
    return ", ".join(f"{symbol} = {value}" for symbol, value in instance.sizes.items()) or "1"


def _tried(algebra: FreeAlgebra, left: Block, right: Block, instances: Sequence[Instance]) -> mutants.Tally:
    survivors, total = [], 0
    sides = [("left", left, right), ("right", right, left)]
    for name, side, other in sides:
        for what, wrong in wrong_forms(side):
            if not any(_differ(instance, wrong, other) for instance in instances):
                continue
            total += 1
            if algebra.proves(wrong, other):
                survivors.append(f"{name} side: {what}")
    return mutants.Tally(total - len(survivors), total, tuple(survivors))


def _without_relations(algebra: FreeAlgebra, left: Block, right: Block, seed: int) -> mutants.Tally:
    """Where the identity fails without a relation, so must the proof."""
    survivors, total = [], 0
    for relation in algebra.relations:
        weaker = FreeAlgebra(tuple(r for r in algebra.relations if r is not relation))
        try:
            instances = weaker.instances([left, right], INSTANCES, seed)
        except CheckFailed:
            continue
        if any(_differ(instance, left, right) for instance in instances):
            total += 1
            if weaker.proves(left, right):
                survivors.append(f"without {relation}")
    return mutants.Tally(total - len(survivors), total, tuple(survivors))


def _differ(instance: Instance, one: Block, other: Block) -> bool:
    try:
        return bool(instance.value(one) != instance.value(other))
    except ZeroDivisionError:  # the wrong form has no value here
        return False
