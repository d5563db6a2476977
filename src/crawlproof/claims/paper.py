"""What a derivation speaks to: a paper, its claims, and the checks on them.

Each check runs an engine, lets it reject the mutants of the statement, records what came
out, prints one stable line and raises when the statement is not confirmed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from crawlproof.checks import enclosed, exact, mutants, sampled, simulated, stated, symbolic
from crawlproof.checks import ulps as rounding
from crawlproof.checks.balls import FloatInBall
from crawlproof.checks.sampler import Range, Sampler, seed_of
from crawlproof.claims import inventory
from crawlproof.claims.evidence import CheckFailed, Evidence
from crawlproof.claims.inventory import Claim
from crawlproof.claims.project import Project
from crawlproof.claims.verdict import Check, ClaimRecord, Role

# Mutants of an inequality are wrong somewhere; a proof attempt that needs more boxes than
# this counts as a rejection, as the honest check would have given up or found the point.
MUTANT_BOXES = 600
SAMPLES = 64
MUTANT_SAMPLES = 8
LONGEST_SHOWN = 160


class MutantSurvived(CheckFailed):
    """A wrong variant of the statement passed the same check."""


class Recorder:
    """What the derivation running in this process has recorded so far."""

    def __init__(self) -> None:
        self.records: dict[str, ClaimRecord] = {}
        self.exports: list[Any] = []

    def record(self, claim_id: str) -> ClaimRecord:
        return self.records.setdefault(claim_id, ClaimRecord(claim_id))

    def to_json(self) -> dict[str, Any]:
        return {
            "claims": {key: [c.to_json() for c in r.checks] for key, r in sorted(self.records.items())},
            "exports": [export.to_json() for export in self.exports],
        }


RECORDER = Recorder()


class Paper:
    """The claims of one paper, as its inventory lists them."""

    def __init__(self, key: str, project: Project | None = None) -> None:
        self.inventory = inventory.load(project or Project.find())
        if key not in self.inventory.papers:
            raise inventory.InventoryError(f"no paper {key!r} (known: {', '.join(self.inventory.papers)})")
        self.info = self.inventory.papers[key]

    def claim(self, claim_id: str) -> CheckedClaim:
        claim = self.inventory[claim_id]
        if claim.paper != self.info.key:
            raise inventory.InventoryError(f"{claim_id} is a claim of {claim.paper}, not of {self.info.key}")
        return CheckedClaim(claim, self.inventory)


def _names_the_claim(check: Callable[..., CheckedClaim]) -> Callable[..., CheckedClaim]:
    """Engines know nothing of claims: what they raise gets the id here."""

    @functools.wraps(check)
    def named(self: CheckedClaim, *args: Any, **kwargs: Any) -> CheckedClaim:
        try:
            return check(self, *args, **kwargs)
        except (CheckFailed, FloatInBall) as error:
            if str(error).startswith(self.claim.id):
                raise
            raise type(error)(f"{self.claim.id}: {error}") from error

    return named


class CheckedClaim:
    """One claim, and every way to check it. Each method returns the claim itself."""

    def __init__(self, claim: Claim, listed: inventory.Inventory) -> None:
        self.claim = claim
        self._inventory = listed
        self._verified: sp.Expr | None = None  # the right-hand side that an export may start from

    def _ipython_display_(self) -> None:
        """Nothing to show: the verdict line has been printed."""

    # ---- confirming ---------------------------------------------------------------

    @_names_the_claim
    def equal(
        self, lhs: Any, rhs: Any, *, where: Sequence[sp.Basic] = (),
        sample: Mapping[sp.Symbol, Range] | None = None, corners: Sequence[Mapping] = (),
        using: Sequence[str] | None = None, given: str | None = None,
    ) -> CheckedClaim:
        """lhs = rhs: by a symbolic strategy, then at 60 digits, then against mutants of rhs.

        ``where`` lists the hypotheses on the symbols (beyond their own assumptions), ``sample``
        the ranges to draw from, ``corners`` points that must be among those tried.
        """
        lhs, rhs = sp.sympify(lhs), sp.sympify(rhs)
        evidence, killed = self._equality(lhs, rhs, where, sample, corners)
        self._verified = rhs
        return self._add(Role.SUPPORT, evidence, killed, using, given, of=_shown(f"{lhs} = {rhs}"))

    @_names_the_claim
    def limit(
        self, expression: Any, variable: sp.Symbol, point: Any, value: Any, *, direction: str = "+",
        using: Sequence[str] | None = None, given: str | None = None,
    ) -> CheckedClaim:
        """The limit of ``expression`` as ``variable`` goes to ``point`` is ``value``."""
        found = symbolic.limit(sp.sympify(expression), variable, sp.sympify(point), direction)
        of = f"{expression} -> {value} as {variable} -> {point}"
        return self._matches([found], [sp.sympify(value)], symbolic.limit_evidence, using, given, of)

    @_names_the_claim
    def series(
        self, expression: Any, variable: sp.Symbol, point: Any, order: int, expansion: Any, *,
        using: Sequence[str] | None = None, given: str | None = None,
    ) -> CheckedClaim:
        """``expression`` = ``expansion`` + O((variable − point)^order): coefficient by coefficient."""
        found = symbolic.coefficients(sp.sympify(expression), variable, sp.sympify(point), order)
        expected = symbolic.coefficients(sp.sympify(expansion), variable, sp.sympify(point), order)
        of = f"{expression} = {expansion} + O(({variable} - {point})^{order})"
        return self._matches(
            found, expected, lambda *used: symbolic.series_evidence(order, used), using, given, of
        )

    @_names_the_claim
    def inequality(
        self, relation: sp.Rel, *, on: Mapping[sp.Symbol, tuple], zeros: Mapping | None = None,
        tail: Mapping | None = None, where: Sequence[sp.Basic] = (),
        using: Sequence[str] | None = None, given: str | None = None, max_boxes: int = 100_000,
    ) -> CheckedClaim:
        """An inequality on a whole region, proved by balls (see ``checks.enclosed.prove``)."""
        if not isinstance(relation, sp.Rel):
            raise CheckFailed(
                f"{self.claim.id}: the relation is already {relation} under the declared assumptions, so that there is "
                "nothing to enclose: write it with evaluate=False"
            )
        symbolic.require_declared(relation.lhs, relation.rhs)
        proof = enclosed.prove(relation, on=on, zeros=zeros, tail=tail, where=where, max_boxes=max_boxes)
        ranges = {s: (r.start, r.end) if isinstance(r, sp.Interval) else r for s, r in on.items()}
        sampler = Sampler(sorted(on, key=str), where, ranges, (), seed_of(self.claim.id))
        wrong = mutants.of_inequality(relation, sampler.points(MUTANT_SAMPLES * 4))
        tally = mutants.trial(
            wrong,
            lambda m: enclosed.prove(m, on=on, zeros=zeros, tail=tail, where=where, max_boxes=MUTANT_BOXES),
        )
        region = ", ".join(f"{symbol} in {limits}" for symbol, limits in ranges.items())
        return self._add(Role.SUPPORT, [proof], tally, using, given, of=_shown(f"{relation} for {region}"))

    @_names_the_claim
    def every(
        self, cases: Iterable[Any], predicate: Callable[[Any], bool], *, what: str,
        wrong: Mapping[str, Callable[[Any], bool]], kind: str = "exact",
        using: Sequence[str] | None = None, given: str | None = None,
    ) -> CheckedClaim:
        """``predicate`` holds for every one of finitely many cases; each wrong variant of it fails on some.

        ``kind`` says how the predicate decides: "exact" arithmetic, or "enclosed" when it asks balls.
        """
        if not wrong:
            raise CheckFailed(f"{self.claim.id}: every() needs at least one wrong variant that must be rejected")
        cases = list(cases)
        proof = exact.every(cases, predicate, what, kind)
        variants = [mutants.Mutant("variant", name, sp.Symbol(name)) for name in wrong]
        tally = mutants.trial(variants, lambda m: exact.every(cases, wrong[str(m)], what))
        return self._add(Role.SUPPORT, [proof], tally, using, given)

    @_names_the_claim
    def exact(
        self, lhs: Any, rhs: Any, *, using: Sequence[str] | None = None, given: str | None = None,
    ) -> CheckedClaim:
        """lhs = rhs for exact numbers (Q, Q(√5), algebraic) or matrices of them."""
        proof = exact.equal(lhs, rhs)
        tally = self._rejecting_exact(lhs, rhs)
        return self._add(Role.SUPPORT, [proof], tally, using, given, of=_shown(f"{lhs} = {rhs}"))

    @_names_the_claim
    def simulated(
        self, simulate: Callable, expected: Any, *, seed: int, runs: int, what: str = "",
        using: Sequence[str] | None = None, given: str | None = None,
    ) -> CheckedClaim:
        """A simulation from the model's words agrees with ``expected`` (a number) within its error."""
        samples = simulate(np.random.default_rng(seed), runs)
        value = float(expected)

        def agrees(target: float) -> Evidence:
            return simulated.compare(lambda *_: samples, target, seed=seed, runs=runs, what=what)

        wrong = {"twice the value": 2 * value, "half the value": value / 2, "negated": -value} if value else {"one": 1.0}
        variants = [mutants.Mutant("value", name, sp.Symbol(name)) for name in wrong]
        tally = mutants.trial(variants, lambda m: agrees(wrong[str(m)]))
        return self._add(Role.SUPPORT, [agrees(value)], tally, using, given, of=what or None)

    @_names_the_claim
    def measured(
        self, function: Callable, reference: Callable, points: Sequence[np.ndarray], *, ulps: float, what: str,
        using: Sequence[str] | None = None, given: str | None = None,
    ) -> CheckedClaim:
        """A float64 function stays within ``ulps`` of a reference of many digits at all points (sampled)."""
        found = rounding.within(function, reference, points, ulps, what)
        # Twice the stated error on top of what is there can't stay within it.
        spoilt = mutants.Mutant("rounding", f"{2 * ulps:g} ulps added", sp.Symbol("spoilt"))
        tally = mutants.trial(
            [spoilt],
            lambda _: rounding.within(
                lambda *a: function(*a) * (1 + 4 * ulps * 2.0**-53), reference, points, ulps, what
            ),
        )
        return self._add(Role.SUPPORT, [found], tally, using, given)

    def argued(
        self, name: str, why: str, *, using: Sequence[str] | None = None, given: str | None = None
    ) -> CheckedClaim:
        """A named step that only a person can check."""
        return self._add(Role.SUPPORT, [stated.argued(name, why)], mutants.NONE, using, given)

    def textual(
        self, *, version: str, place: str, words: str, should_be: str | None = None,
        using: Sequence[str] | None = None,
    ) -> CheckedClaim:
        """A fact about the print; with ``should_be`` the print is wrong there, and that is a misprint."""
        role = Role.SUPPORT if should_be is None else Role.MISPRINT
        evidence = stated.textual(version, place, words, should_be)
        return self._add(role, [evidence], mutants.NONE, using, None, printed=words, corrected=should_be)

    def definition(self) -> CheckedClaim:
        """Nothing is asserted: the claim fixes a name."""
        return self._add(Role.DEFINITION, [], mutants.NONE, None, None)

    # ---- refuting, correcting -------------------------------------------------------

    @_names_the_claim
    def refute(
        self, asserted: sp.Rel, *, witness: Mapping[sp.Symbol, Any], hypotheses: Sequence[sp.Basic] = (),
        using: Sequence[str] | None = None,
    ) -> CheckedClaim:
        """What the paper asserts is false at an exact witness that meets its hypotheses."""
        found = exact.refutes(asserted, witness, hypotheses)
        opposite = asserted.negated if isinstance(asserted, (sp.Eq, sp.Ne)) else mutants.reversed_relation(asserted)
        tally = mutants.trial(
            [mutants.Mutant("relation", "turned round", opposite)],
            lambda m: exact.refutes(m, witness, hypotheses),
        )
        return self._add(
            Role.REFUTATION, [found.evidence], tally, using, None, witness=_witness_json(found, asserted),
            of=_shown(f"not {asserted}"),
        )

    @_names_the_claim
    def misprint(
        self, lhs: Any, *, printed: Any, corrected: Any, witness: Mapping[sp.Symbol, Any],
        where: Sequence[sp.Basic] = (), sample: Mapping[sp.Symbol, Range] | None = None,
        corners: Sequence[Mapping] = (), using: Sequence[str] | None = None,
    ) -> CheckedClaim:
        """lhs = corrected is proved; lhs = printed is false at the witness."""
        lhs, printed, corrected = sp.sympify(lhs), sp.sympify(printed), sp.sympify(corrected)
        asserted = sp.Eq(lhs, printed, evaluate=False)
        found = exact.refutes(asserted, witness, where)
        evidence, killed = self._equality(lhs, corrected, where, sample, corners)
        self._verified = corrected
        return self._add(
            Role.MISPRINT, [found.evidence, *evidence], killed, using, None,
            witness=_witness_json(found, asserted), printed=sp.latex(printed), corrected=sp.latex(corrected),
            of=_shown(f"{lhs} = {corrected}, not {printed}"),
        )

    def gap(self, *, step: str, because: str | None = None) -> CheckedClaim:
        """The statement stands by our own checks, but the paper's proof uses ``step``, which does not."""
        self._inventory[step]
        return self._add(Role.GAP, [], mutants.NONE, None, None, gap_step=step, corrected=because)

    # ---- exporting ------------------------------------------------------------------

    @_names_the_claim
    def export(self, name: str, form: sp.Expr, **details: Any) -> CheckedClaim:
        """Compile the verified right-hand side, in the stable form ``form``, into a numeric function."""
        from crawlproof.codegen.export import make_export

        verified = details.pop("verified", self._verified)
        if verified is None:
            raise CheckFailed(f"{self.claim.id}: nothing to export before a check has verified it")
        export = make_export(
            claim_id=self.claim.id, place=self.claim.place, name=name, verified=verified, form=form, **details
        )
        RECORDER.exports.append(export)
        print(f"{self.claim.id}  exported  {export.name}")
        return self

    # ---- inside ---------------------------------------------------------------------

    def _sampler(self, symbols: Iterable[sp.Symbol], where, sample, corners) -> Sampler:
        return Sampler(sorted(symbols, key=str), where, dict(sample or {}), corners, seed_of(self.claim.id))

    def _equality(self, lhs, rhs, where, sample, corners) -> tuple[list[Evidence], mutants.Tally]:
        """The evidence for an equality and what became of the mutants of its right-hand side."""
        symbolic.require_declared(lhs, rhs, *where)
        if rhs == 0 and lhs.is_Add:
            # A sum that vanishes has no scale to compare with: its first term against the others has one.
            first, *others = lhs.args
            lhs, rhs = first, -sp.Add(*others)
        symbols = set().union(lhs.free_symbols, rhs.free_symbols, *(r.free_symbols for r in where))
        sampler = self._sampler(symbols, where, sample, corners)
        points = sampler.points(MUTANT_SAMPLES)
        # Sampling comes first only because it finds a false statement sooner than algebra gives up.
        numeric = sampled.can_evaluate(lhs, rhs) and bool(symbols)
        second = [sampled.equal(lhs, rhs, sampler, SAMPLES)] if numeric else []
        evidence, strategy = symbolic.equal(lhs, rhs, where)
        wrong = [
            m for m in mutants.of_expression(rhs)
            if not sampled.can_evaluate(rhs) or mutants.differs(rhs, m.expression, points)
        ]

        def accepts(mutant: sp.Expr) -> bool:
            return symbolic.still_proves(strategy, lhs, mutant) or (
                numeric and sampled.compare(lhs, mutant, points, stop_at_first=True)[1] == 0
            )

        return [evidence, *second], mutants.trial(wrong, accepts)

    def _matches(self, found, expected, evidence_of, using, given, of) -> CheckedClaim:
        """Each found expression equals the expected one; mutants of the expected ones are rejected."""
        strategies, tally = [], mutants.NONE
        for value, wanted in zip(found, expected, strict=True):
            _, strategy = symbolic.equal(value, wanted)
            strategies.append(strategy)
            points = self._sampler(wanted.free_symbols, (), None, ()).points(MUTANT_SAMPLES)
            wrong = [m for m in mutants.of_expression(wanted, 6) if mutants.differs(wanted, m.expression, points)]
            tally += mutants.trial(
                wrong,
                lambda m, value=value, strategy=strategy: symbolic.still_proves(strategy, value, m),
            )
        return self._add(Role.SUPPORT, [evidence_of(*strategies)], tally, using, given, of=_shown(of))

    def _rejecting_exact(self, lhs: Any, rhs: Any) -> mutants.Tally:
        """Wrong variants of exact values: shifted by one, doubled, negated (where that differs)."""
        changes = {"one added": lambda v: v + 1, "doubled": lambda v: v + v, "negated": lambda v: -v}

        def variant(change: Callable) -> Any:
            if isinstance(rhs, (tuple, list)):
                return [change(rhs[0]), *rhs[1:]]
            if hasattr(rhs, "nrows"):  # a flint matrix: change one entry only
                changed = type(rhs)(rhs)
                changed[0, 0] = change(changed[0, 0])
                return changed
            return change(rhs)

        names = [n for n, change in changes.items() if not _same(variant(change), rhs)]
        variants = [mutants.Mutant("value", n, sp.Symbol(n)) for n in names]
        return mutants.trial(variants, lambda m: exact.equal(lhs, variant(changes[str(m)])))

    def _add(
        self, role: Role, evidence: Sequence[Evidence], tally: mutants.Tally,
        using: Sequence[str] | None, given: str | None, **rest: Any,
    ) -> CheckedClaim:
        for item in evidence:
            if not isinstance(item, Evidence):
                raise TypeError(f"{self.claim.id}: {item!r} is no evidence")
        if tally.survivors:
            raise MutantSurvived(
                f"{self.claim.id}: {len(tally.survivors)} of {tally.total} mutants survived: "
                + "; ".join(tally.survivors)
            )
        for other in using or ():
            self._inventory[other]
        record = RECORDER.record(self.claim.id)
        record.checks.append(
            Check(
                role=role, evidence=tuple(e.to_json() for e in evidence), killed=tally.killed, mutants=tally.total,
                survivors=tally.survivors, using=None if using is None else tuple(using), given=given, **rest,
            )
        )
        parts = [e.detail for e in evidence]
        if given:
            parts.append(f"given {given}")
        if rest.get("gap_step"):
            parts.append(f"the paper's step {rest['gap_step']} does not hold")
        if tally.total:
            parts.append(f"mutants killed {tally.killed}/{tally.total}")
        print(f"{self.claim.id}  {record.verdict.value}  {' · '.join(parts)}".rstrip())
        return self


def _shown(statement: str) -> str:
    """What was checked, in one line that a person will read."""
    return statement if len(statement) <= LONGEST_SHOWN else statement[: LONGEST_SHOWN - 2] + " …"


def _same(first: Any, second: Any) -> bool:
    return bool(np.all(first == second))


def _witness_json(found: exact.Refutation, asserted: sp.Rel) -> dict[str, Any]:
    return {
        "at": dict(found.witness), "asserted": str(asserted), "left": str(found.left), "right": str(found.right),
    }
