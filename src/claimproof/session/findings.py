"""What the engines find out about a statement in sympy: evidence, and what became of its mutants.

Nothing here knows a claim or records anything, so that the same call can be made on a wrong variant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from claimproof.core.evidence import CheckFailed, Evidence
from claimproof.engines import enclosed, exact, mutants, sampled, symbolic
from claimproof.engines.sampler import Point, Range, Sampler, VacuousHypotheses, seed_of

# Mutants of an inequality are wrong somewhere; a proof attempt that needs more boxes than
# this counts as a rejection, as the honest check would have given up or found the point.
MUTANT_BOXES = 600
SAMPLES = 64
MUTANT_SAMPLES = 8
PARAMETER_SAMPLES = 6
NEAR_END = sp.Rational(1, 10**5)

Ranges = Mapping[sp.Symbol, Any]
Sample = Mapping[sp.Symbol, Range] | None
Corners = Sequence[Mapping[sp.Symbol, Any]]


@dataclass(frozen=True)
class Finding:
    """A confirmed statement: how, against which mutants, and what it says."""

    evidence: Sequence[Evidence]
    tally: mutants.Tally
    of: str
    relation: sp.Basic | None = None  # as it was written, where sympy can hold it
    verified: sp.Expr | None = None  # the side that an export may start from
    where: Sequence[sp.Basic] = ()  # the hypotheses under which it was confirmed


@dataclass(frozen=True)
class Finder:
    """Asks the engines; samples are drawn from a seed of its own."""

    seed_text: str

    # ---- what can be asked ------------------------------------------------------------

    def equal(self, lhs: Any, rhs: Any, where: Sequence[sp.Basic], sample: Sample, corners: Corners) -> Finding:
        """lhs = rhs: by a symbolic strategy, then at 60 digits, then against mutants of rhs."""
        lhs, rhs = sp.sympify(lhs), sp.sympify(rhs)
        evidence, tally = self._equality(lhs, rhs, where, sample, corners)
        return Finding(evidence, tally, f"{lhs} = {rhs}", sp.Eq(lhs, rhs, evaluate=False), rhs, tuple(where))

    def limit(
        self, expression: sp.Expr, variable: sp.Symbol, point: sp.Expr, value: sp.Expr, direction: str | None,
        where: Sequence[sp.Basic],
    ) -> Finding:
        symbolic.require_declared(expression, value, *where)
        sides = symbolic.sides_of(variable, point, direction, where)
        parameters = self._parameters({variable}, (expression, value, point, *where), where)
        signs = [1 if side == "+" else -1 for side in sides] or [1]
        # As with equalities, numbers find a false statement sooner than algebra gives up.
        second = sampled.limit(expression, variable, point, value, signs, parameters)
        found = symbolic.limits(expression, variable, point, sides)
        strategies, tally = self._matches(found, [value] * len(found), where)
        proof = symbolic.limit_evidence(strategies, sides, vacuous=expression == value)
        of = f"{expression} -> {value} as {variable} -> {point}{sides if len(sides) == 1 else ''}"
        held = sp.Limit(expression, variable, point, sides or "-")
        relation = sp.Eq(held, value, evaluate=False)
        return Finding(_witnessed(proof, second), tally, of, relation, value, tuple(where))

    def series(
        self, expression: sp.Expr, variable: sp.Symbol, point: sp.Expr, order: int, expansion: sp.Expr,
        direction: str | None, where: Sequence[sp.Basic],
    ) -> Finding:
        symbolic.require_declared(expression, expansion, *where)
        sides = symbolic.sides_of(variable, point, direction, where)
        if not sides:
            raise CheckFailed(f"a series at {variable} = {point}: put {variable} = 1/t and expand at 0")
        strategies: list[str] = []
        tally = mutants.NONE
        for side in sides:
            found, expected = (
                symbolic.coefficients(e, variable, point, order, side) for e in (expression, expansion)
            )
            used, killed = self._matches(found, expected, where)
            strategies, tally = strategies + used, tally + killed
        signs = [1 if side == "+" else -1 for side in sides]
        parameters = self._parameters({variable}, (expression, expansion, point, *where), where)
        second = sampled.remainder(expression - expansion, variable, point, order, signs, parameters)
        proof = symbolic.series_evidence(order, strategies, sides, vacuous=expression == expansion)
        of = f"{expression} = {expansion} + O(({variable} - {point})^{order})"
        return Finding(_witnessed(proof, second), tally, of, verified=expansion, where=tuple(where))

    def inequality(
        self, relation: sp.Rel, on: Ranges, zeros: Mapping[sp.Symbol, Any] | None, tail: Mapping[sp.Symbol, Any] | None,
        where: Sequence[sp.Basic], max_boxes: int,
    ) -> Finding:
        """An inequality on a whole region, proved by balls (see ``engines.enclosed.prove``)."""
        if not isinstance(relation, sp.Rel):
            raise CheckFailed(
                f"the relation is already {relation} under the declared assumptions, so that there is "
                "nothing to enclose: write it with evaluate=False"
            )
        symbolic.require_declared(relation.lhs, relation.rhs)
        proof = enclosed.prove(relation, on=on, zeros=zeros, tail=tail, where=where, max_boxes=max_boxes)
        ranges = _open_ranges(on)
        wrong = mutants.of_inequality(relation, self.points_of(ranges, where))
        tally = mutants.trial(
            wrong,
            lambda m: enclosed.prove(m, on=on, zeros=zeros, tail=tail, where=where, max_boxes=MUTANT_BOXES),
        )
        tally += self._larger_regions(relation, on, zeros, tail, where)
        region = ", ".join(f"{symbol} in {limits}" for symbol, limits in ranges.items())
        return Finding([proof], tally, f"{relation} for {region}", relation, where=(*_as_relations(on), *where))

    def implied(
        self, conclusion: sp.Rel, hypotheses: Mapping[sp.Rel, Any], *, on: Ranges, where: Sequence[sp.Basic]
    ) -> Finding:
        """``conclusion`` under ``hypotheses``, such as the step of an induction: the gap between its sides is that of each
        hypothesis, times its factor (None: the one that makes what is unknown disappear), and a remainder that
        vanishes, or has the right sign. What an engine proves is the statement about the remainder.

        Sums and products that go one further than a hypothesis's are split first, and sums term by term; then they,
        and functions that are not known, are taken as symbols.
        """
        known = {hypothesis: _gap(hypothesis) for hypothesis in hypotheses}
        gap = _gap(conclusion)
        for other in known.values():
            gap = _peeled(gap, other)
        gap, known = _by_terms(gap), {hypothesis: _by_terms(other) for hypothesis, other in known.items()}
        opaque = {node: sp.Dummy(str(node), real=True) for node in _opaque(gap, *known.values())}
        gap = gap.xreplace(opaque)
        used = sp.S.Zero
        for hypothesis, factor in hypotheses.items():
            other = known[hypothesis].xreplace(opaque)
            times = _factor(sp.expand(gap), sp.expand(other), opaque.values()) if factor is None else sp.sympify(factor)
            _require_usable(conclusion, hypothesis, times)
            used += times.xreplace(opaque) * other
        rest = sp.expand(sp.expand(gap) - sp.expand(used))
        if isinstance(conclusion, sp.Eq) or (rest == 0 and _strong_enough(conclusion, hypotheses)):
            found = self.equal(gap, used, where, None, ())
        else:
            needed = sp.Gt if isinstance(conclusion, sp.Gt | sp.Lt) else sp.Ge
            found = self._remainder(needed(rest, 0, evaluate=False), on, where)
        asked = (*_as_relations(on), *where, *hypotheses)
        of = f"{conclusion} if {' and '.join(map(str, hypotheses))}"
        return replace(found, relation=conclusion, where=asked, of=of, verified=None)

    def _remainder(self, relation: sp.Rel, on: Ranges, where: Sequence[sp.Basic]) -> Finding:
        """An inequality for whole numbers too: it is proved for the real ones between them."""
        if not relation.free_symbols:
            return self.compared(relation)
        real = {s: sp.Dummy(s.name, **_as_real(s)) for s in on if s.is_integer}
        ranges = {real.get(s, s): limits for s, limits in on.items()}
        held = relation.func(*(side.xreplace(real) for side in relation.args), evaluate=False)
        return self.inequality(held, ranges, None, None, [h.xreplace(real) for h in where], 100_000)

    def compared(self, relation: sp.Rel) -> Finding:
        """A relation between closed numbers, decided exactly or by balls."""
        opposite = relation.negated if isinstance(relation, sp.Eq | sp.Ne) else mutants.negated_relation(relation)
        found = exact.refutes(opposite, {})
        tally = mutants.trial(
            [mutants.Mutant("relation", "turned round", relation)], lambda m: exact.refutes(m, {})
        )
        return Finding([found.evidence], tally, str(relation), relation)

    def every(
        self, cases: Sequence[Any], predicate: Callable[[Any], bool], what: str,
        wrong: Mapping[str, Callable[[Any], bool]], kind: str, only_gross: str | None,
    ) -> Finding:
        """``predicate`` holds for every case; each wrong variant of it fails on some, one of them not on all."""
        if not wrong:
            raise CheckFailed("at least one wrong variant is needed that must be rejected")
        failed = {name: exact.failures(cases, variant, f"{what}, variant {name!r}") for name, variant in wrong.items()}
        straw_men = [name for name, count in failed.items() if count == len(cases)]
        if cases and len(straw_men) == len(wrong) and not (only_gross or "").strip():
            raise CheckFailed(
                f"{what}: every wrong variant fails on all {len(cases)} cases ({', '.join(straw_men)}): give one that "
                "fails on some of them only, or say in only_gross= why there is none"
            )
        excuse = only_gross if len(straw_men) == len(wrong) else None
        proof = exact.every(cases, predicate, what, kind, straw_men, excuse)
        survivors = tuple(f"variant: {name}" for name, count in failed.items() if not count)
        return Finding([proof], mutants.Tally(len(wrong) - len(survivors), len(wrong), survivors), what)

    def exact(self, lhs: Any, rhs: Any) -> Finding:
        """lhs = rhs for exact numbers (Q, Q(√5), algebraic) or matrices of them."""
        proof = exact.equal(lhs, rhs)
        changes: dict[str, Callable[[Any], Any]] = {
            "one added": lambda v: v + 1, "doubled": lambda v: v + v, "negated": lambda v: -v,
            "a millionth more": exact.a_millionth_more,
        }
        # In the first entry and in a seeded one.
        places = sorted({0, seed_of(self.seed_text) % exact.size(rhs)})
        variants = {
            f"{name} at entry {place}": exact.changed(rhs, place, change)
            for place in places for name, change in changes.items()
        }
        unchanged = exact.changed(rhs, 0, lambda entry: entry)
        wrong = {name: v for name, v in variants.items() if v != unchanged}
        named = [mutants.Mutant("value", name, sp.Symbol(name)) for name in wrong]
        tally = mutants.trial(named, lambda m: exact.equal(lhs, wrong[str(m)]))
        return Finding([proof], tally, f"{lhs} = {rhs}")

    # ---- points -------------------------------------------------------------------------

    def sampler(self, symbols: Iterable[sp.Symbol], where: Sequence[sp.Basic], sample: Sample, corners: Corners) -> Sampler:
        return Sampler(sorted(symbols, key=str), where, dict(sample or {}), corners, seed_of(self.seed_text))

    def points_of(self, ranges: Ranges, where: Sequence[sp.Basic]) -> list[Point]:
        """Points of an inequality's region, some of them near its ends, where it is tightest."""
        bounds = [
            relation for symbol, (low, high) in ranges.items() for relation in (symbol > low, symbol < high)
            if relation != sp.true
        ]
        near = {s: ends for s, limits in ranges.items() if (ends := _near_ends(*limits))}
        inside = self.sampler(ranges, [*where, *bounds], None, ()).points(MUTANT_SAMPLES * 4)
        try:
            return [*inside, *self.sampler(ranges, [*where, *bounds], near, ()).points(MUTANT_SAMPLES)]
        except VacuousHypotheses:  # the hypotheses keep away from all of the corners
            return inside

    def _parameters(self, without: set[sp.Symbol], expressions: Sequence[sp.Basic], where: Sequence[sp.Basic]) -> list[Point]:
        """Points for all symbols but the one that moves; hypotheses on that one are not theirs."""
        symbols = set[sp.Symbol]().union(*(e.free_symbols for e in expressions)) - without
        own = [relation for relation in where if relation.free_symbols <= symbols]
        return self.sampler(symbols, own, None, ()).points(PARAMETER_SAMPLES)

    # ---- inside ---------------------------------------------------------------------------

    def _larger_regions(
        self, relation: sp.Rel, on: Ranges, zeros: Mapping[sp.Symbol, Any] | None,
        tail: Mapping[sp.Symbol, Any] | None, where: Sequence[sp.Basic],
    ) -> mutants.Tally:
        """Where the inequality fails without a hypothesis, or just beyond the region, the proof must fail too."""
        tally = mutants.NONE
        for region in mutants.larger_regions(on, where):
            try:
                points = self.points_of(_open_ranges(region.on), region.where)
            except CheckFailed:  # nothing was found there, so nothing is shown to be wrong there
                continue
            if sampled.violation(relation, points) is None:
                continue

            def still_proved(m: sp.Basic, region: mutants.Region = region) -> object:
                return enclosed.prove(
                    m, on=region.on, zeros=zeros, tail=tail, where=region.where, max_boxes=MUTANT_BOXES
                )

            tally += mutants.trial([mutants.Mutant("region", region.what, relation)], still_proved)
        return tally

    def _equality(
        self, lhs: sp.Expr, rhs: sp.Expr, where: Sequence[sp.Basic], sample: Sample, corners: Corners
    ) -> tuple[list[Evidence], mutants.Tally]:
        """The evidence for an equality and what became of the mutants of its right-hand side."""
        symbolic.require_declared(lhs, rhs, *where)
        one_tree = lhs == rhs
        if rhs == 0 and lhs.is_Add:
            # A sum that vanishes has no scale to compare with: its first term against the others has one.
            first, *others = lhs.args
            lhs, rhs = first, -sp.Add(*others)
        symbols = set().union(lhs.free_symbols, rhs.free_symbols, *(r.free_symbols for r in where))
        sampler = self.sampler(symbols, where, sample, corners)
        points = sampler.points(MUTANT_SAMPLES)
        # Sampling comes first only because it finds a false statement sooner than algebra gives up.
        numeric = sampled.can_evaluate(lhs, rhs)
        second = None
        if numeric and not one_tree:
            second = sampled.equal(lhs, rhs, sampler, SAMPLES)
        elif sampled.holds_integrals(lhs, rhs):
            second = sampled.integrals(lhs, rhs, sampler)
        proof, strategy = symbolic.equal(lhs, rhs, where)
        written = _written_out(rhs)
        wrong = [
            m for m in mutants.of_expression(rhs)
            if not sampled.can_evaluate(written) or mutants.differs(written, _written_out(m.expression), points)
        ]

        def accepts(mutant: sp.Expr) -> bool:
            return symbolic.still_proves(strategy, lhs, mutant) or (
                numeric and sampled.compare(lhs, mutant, points, stop_at_first=True)[1] == 0
            )

        evidence = [proof] if one_tree else _witnessed(proof, second)
        return evidence, mutants.trial(wrong, accepts)

    def _matches(
        self, found: Sequence[sp.Expr], expected: Sequence[sp.Expr], where: Sequence[sp.Basic]
    ) -> tuple[list[str], mutants.Tally]:
        """Each found expression equals the expected one; mutants of the expected ones are rejected."""
        strategies, tally = [], mutants.NONE
        for value, wanted in zip(found, expected, strict=True):
            _, strategy = symbolic.equal(value, wanted)
            strategies.append(strategy)
            own = [relation for relation in where if relation.free_symbols <= wanted.free_symbols]
            points = self.sampler(wanted.free_symbols, own, None, ()).points(MUTANT_SAMPLES)
            wrong = [m for m in mutants.of_expression(wanted, 8) if mutants.differs(wanted, m.expression, points)]

            def accepts(m: sp.Expr, value: sp.Expr = value, strategy: str = strategy) -> bool:
                return symbolic.still_proves(strategy, value, m)

            tally += mutants.trial(wrong, accepts)
        return strategies, tally


def _written_out(expression: sp.Expr) -> sp.Expr:
    """Sums and products between numbers term by term: an empty one, or one of a single 1, makes mutants that are equal."""
    return expression.replace(
        lambda e: isinstance(e, sp.Sum | sp.Product) and all(end.is_Integer for _, *ends in e.limits for end in ends),
        lambda e: e.doit(),
    )


def _open_ranges(on: Ranges) -> dict[sp.Symbol, tuple[Any, Any]]:
    return {s: (r.start, r.end) if isinstance(r, sp.Interval) else r for s, r in on.items()}


def _as_real(symbol: sp.Symbol) -> dict[str, bool]:
    sign = next((word for word in ("positive", "nonnegative") if getattr(symbol, f"is_{word}")), "real")
    return {sign: True}


def _as_relations(on: Ranges) -> tuple[sp.Basic, ...]:
    """The ranges of an inequality as relations; what the symbols' declarations say is left out."""
    found: list[sp.Basic] = []
    for symbol, limits in on.items():
        closed = isinstance(limits, sp.Interval)
        low, high = (limits.start, limits.end) if closed else map(sp.sympify, limits)
        from_ = sp.Ge if closed and not limits.left_open else sp.Gt
        to = sp.Le if closed and not limits.right_open else sp.Lt
        found += [from_(symbol, low)] if low != -sp.oo else []
        found += [to(symbol, high)] if high != sp.oo else []
    return tuple(relation for relation in found if relation != sp.true)


def _gap(relation: sp.Rel) -> sp.Expr:
    """What a relation compares with 0; inequalities say that it is not less."""
    match relation:
        case sp.Eq():
            return relation.lhs - relation.rhs
        case sp.Gt() | sp.Ge() | sp.Lt() | sp.Le():
            return relation.gts - relation.lts
        case _:
            raise CheckFailed(f"{relation} is no equation or inequality")


def _peeled(gap: sp.Expr, known: sp.Expr) -> sp.Expr:
    """Sums and products that go one further than those of the hypothesis, as those and their last term or factor."""
    ranges = (sp.Sum, sp.Product)
    shorter = {(type(node), *node.args[:1], *node.limits[0][:2]): node for node in known.atoms(*ranges) if len(node.limits) == 1}
    for node in gap.atoms(*ranges):
        if len(node.limits) != 1:
            continue
        variable, low, high = node.limits[0]
        before = shorter.get((type(node), node.function, variable, low))
        if before is None or sp.expand(high - before.limits[0][2]) != 1:
            continue
        if sp.expand(high - low).is_nonnegative is not True:
            raise CheckFailed(f"the range of {node} is not seen to have a last term: {high} >= {low} must be certain")
        last = node.function.subs(variable, high)
        gap = gap.xreplace({node: before + last if isinstance(node, sp.Sum) else before * last})
    return gap


def _opaque(*expressions: sp.Expr) -> list[sp.Expr]:
    return sorted({n for e in expressions for n in e.atoms(sp.Sum, sp.Product, AppliedUndef)}, key=sp.default_sort_key)


def _by_terms(expression: sp.Expr) -> sp.Expr:
    """Finite sums of sums as sums of sums, with factors that don't depend on the index in front."""

    def split(total: sp.Sum) -> sp.Expr:
        (index, low, high), = total.limits
        parts = [term.as_independent(index) for term in sp.Add.make_args(sp.expand(total.function))]
        return sp.Add(*(fixed * sp.Sum(moving, (index, low, high)) for fixed, moving in parts))

    return expression.replace(
        lambda e: isinstance(e, sp.Sum) and len(e.limits) == 1 and all(end.is_finite is not False for end in e.limits[0][1:]),
        split,
    )


def _require_usable(conclusion: sp.Rel, hypothesis: sp.Rel, times: sp.Expr) -> None:
    """A hypothesis times something that exists and, unless it is an equation, is not negative."""
    if sp.fraction(sp.together(times))[1].is_nonzero is not True:
        raise CheckFailed(f"the factor {times} of the hypothesis is not seen to have a denominator other than 0")
    if isinstance(hypothesis, sp.Eq):
        return
    if isinstance(conclusion, sp.Eq):
        raise CheckFailed(f"the equation {conclusion} can't follow from {hypothesis}")
    if times.is_nonnegative is not True:
        raise CheckFailed(f"the factor {times} of the hypothesis {hypothesis} is not seen to be nonnegative")


def _strong_enough(conclusion: sp.Rel, hypotheses: Mapping[sp.Rel, Any]) -> bool:
    """Without a remainder a strict conclusion needs a strict hypothesis, times something positive."""
    strict = [times for h, times in hypotheses.items() if isinstance(h, sp.Gt | sp.Lt)]
    return isinstance(conclusion, sp.Ge | sp.Le) or any(t is not None and sp.sympify(t).is_positive for t in strict)


def _factor(gap: sp.Expr, known: sp.Expr, unknowns: Iterable[sp.Dummy]) -> sp.Expr:
    """How often the hypothesis is used: what makes its unknown quantities disappear."""
    for unknown in unknowns:
        if known.has(unknown) and gap.has(unknown):
            return sp.cancel(gap.coeff(unknown, 1) / known.coeff(unknown, 1))
    raise CheckFailed("the hypothesis is about nothing that the conclusion has: there is nothing to use it for (or give its factor)")


def _witnessed(proof: Evidence, second: Evidence | None) -> list[Evidence]:
    """A proof with its numerical witness, or with the word that there is none."""
    return [symbolic.not_evaluated(proof)] if second is None else [proof, second]


def _near_ends(low: Any, high: Any) -> list[sp.Expr]:
    """Places next to the ends of an open range."""
    low, high = sp.sympify(low), sp.sympify(high)
    step = NEAR_END * (high - low if low != -sp.oo and high != sp.oo else 1)
    return [end for end in (low + step, high - step) if end.is_finite]
