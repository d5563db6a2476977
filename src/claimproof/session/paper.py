"""What a derivation speaks to: a paper, its claims, and the checks on them.

Each check runs an engine, lets it reject the mutants of the statement, records what came
out, prints one stable line and raises when the statement is not confirmed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import sympy as sp

from claimproof.codegen.export import make_export
from claimproof.core import inventory
from claimproof.core.evidence import CheckFailed, Evidence
from claimproof.core.inventory import Claim
from claimproof.core.latex import latex
from claimproof.core.project import Project
from claimproof.core.statement import Statement, definitions
from claimproof.core.symbols import SymbolTable
from claimproof.core.tree import Apply, Tree
from claimproof.core.verdict import FOLLOWS, Check, Role, Scope
from claimproof.engines import exact, free_algebra, mutants, ruled, simulated, stated
from claimproof.engines import ulps as rounding
from claimproof.engines.balls import FloatInBall
from claimproof.engines.bridge import Bridge, BridgeError
from claimproof.engines.free_algebra import Block, Relation
from claimproof.engines.sampler import Range
from claimproof.session import concluded, rules
from claimproof.session.binding import Binding, Hints
from claimproof.session.display import show_statement
from claimproof.session.findings import Finder, Finding
from claimproof.session.recorder import Place, Recorder

LONGEST_SHOWN = 160
NO_SYMBOLS = SymbolTable({}, source="no symbol table")

P = ParamSpec("P")
R = TypeVar("R")


class MutantSurvived(CheckFailed):
    """A wrong variant of the statement passed the same check."""


class Paper:
    """The claims of one paper, as its inventory lists them, and what has been recorded about them."""

    def __init__(self, key: str, project: Project | None = None, recorder: Recorder | None = None) -> None:
        self.inventory = inventory.load(project or Project.find())
        if key not in self.inventory.papers:
            raise inventory.InventoryError(f"no paper {key!r} (known: {', '.join(self.inventory.papers)})")
        self.info = self.inventory.papers[key]
        self.table = self.inventory.symbols.get(key, NO_SYMBOLS)
        self.recorder = recorder or Recorder()

    def claim(self, claim_id: str) -> CheckedClaim:
        claim = self.inventory[claim_id]
        if claim.paper != self.info.key:
            raise inventory.InventoryError(f"{claim_id} is a claim of {claim.paper}, not of {self.info.key}")
        return CheckedClaim(claim, self)

    def symbols(self, names: str) -> Any:
        """The paper's symbols as sympy has them: ``mu, x = paper.symbols("mu x")``, as the table declares them."""
        bridge = Bridge(self.table)
        found = tuple(bridge.symbol(name) for name in names.split())
        return found[0] if len(found) == 1 else found


def _names_the_claim(check: Callable[Concatenate[CheckedClaim, P], R]) -> Callable[Concatenate[CheckedClaim, P], R]:
    """Engines know nothing of claims: what they raise gets the id here."""

    @functools.wraps(check)
    def named(self: CheckedClaim, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return check(self, *args, **kwargs)
        except (CheckFailed, FloatInBall) as error:
            if str(error).startswith(self.claim.id):
                raise
            raise type(error)(f"{self.claim.id}: {error}") from error

    return named


class CheckedClaim:
    """One claim, and every way to check it. Each check returns a ``Proof`` of this claim."""

    def __init__(self, claim: Claim, paper: Paper) -> None:
        self.claim = claim
        self.paper = paper
        self._finder = Finder(claim.id)

    def _ipython_display_(self) -> None:
        """Nothing to show: the verdict line has been printed."""

    # ---- the statement itself -------------------------------------------------------

    @_names_the_claim
    def as_stated(
        self, *, sample: Mapping[str, Any] | None = None, corners: Sequence[Mapping[str, Any]] = (),
        zeros: Mapping[str, Any] | None = None, tail: Mapping[str, Any] | None = None,
        times: Mapping[Any, Mapping[str, Any]] | None = None, max_boxes: int = 100_000,
        parts: Mapping[int, Mapping[str, Any]] | None = None, using: Sequence[str] = (), instead_of: Sequence[str] = (),
        given: str | None = None, **computed: Any,
    ) -> Proof:
        """The statement of the inventory, under its own hypotheses.

        ``computed`` has what the derivation found for symbols that are not primitive, by name; the rest comes
        from the inventory. With ``given``, the hypotheses under ``needs`` are added: the paper leaves them out.
        ``sample``, ``corners``, ``zeros``, ``tail`` and ``times`` are hints to the engines, by names of symbols;
        ``parts={2: {"zeros": ...}}`` has those for the second conjunct (see ``Hints``).
        """
        statement = self._stated("needs" if given else "stated")
        hints = Hints(sample or {}, corners, zeros or {}, tail or {}, times or {}, max_boxes, parts or {})
        binding = self._binding(statement, computed, hints)
        proof: Proof | None = None
        for part in binding.confirmed():
            proof = self._add(
                Role.SUPPORT, part.finding, using, given, instead_of=tuple(instead_of), scope=Scope.STATEMENT,
                part=part.part, formula=part.formula, latex=part.latex, handed=_handed(computed, self.paper.table),
                not_needed=part.not_needed,
            )
        assert proof is not None  # a conclusion has at least one conjunct
        return proof

    @_names_the_claim
    def refute_as_stated(
        self, witness: Mapping[str, Any], *, instance: str, meets: Mapping[str, str] | None = None,
        using: Sequence[str] = (), instead_of: Sequence[str] = (), **computed: Any,
    ) -> Proof:
        """The statement of the inventory is false at the witness, where each of its hypotheses holds.

        ``instance`` tells the counterexample in words; ``meets`` says for hypotheses in words why they hold there.
        """
        binding = self._binding(self._stated("stated"), computed, Hints())
        found, own, evaluated = binding.refuted(witness)
        return self._add_refutation(
            found, f"not {_spoken(own.conclusion)}", _spoken(own.conclusion), using, instead_of=tuple(instead_of),
            scope=Scope.STATEMENT, formula=str(own.conclusion), latex=latex(own.conclusion, self.paper.table),
            handed=_handed(computed, self.paper.table), instance=instance, meets=dict(meets or {}), hypotheses=evaluated,
        )

    @_names_the_claim
    def misprint_as_stated(
        self, witness: Mapping[str, Any], *, instance: str, sample: Mapping[str, Any] | None = None,
        corners: Sequence[Mapping[str, Any]] = (), using: Sequence[str] = (), **computed: Any,
    ) -> Proof:
        """What is printed is false at the witness, and ``corrected`` of the inventory holds."""
        printed, corrected = self._stated("stated"), self._stated("corrected")
        found, _, evaluated = self._binding(printed, computed, Hints()).refuted(witness)
        parts = self._binding(corrected, computed, Hints(sample or {}, corners)).confirmed()
        table = self.paper.table
        finding = Finding(
            [e for part in parts for e in part.finding.evidence],
            functools.reduce(lambda a, b: a + b, (part.finding.tally for part in parts)),
            f"{_spoken(corrected.conclusion)}, not {_spoken(printed.conclusion)}", verified=parts[-1].finding.verified,
        )
        return self._add(
            Role.MISPRINT, finding, using, None, witness=_witness_json(found, _spoken(printed.conclusion)),
            against=(found.evidence.to_json(),),
            printed=latex(printed.conclusion, table), corrected=latex(corrected.conclusion, table),
            scope=Scope.STATEMENT, formula=str(corrected.conclusion), latex=latex(corrected.conclusion, table),
            handed=_handed(computed, table), instance=instance, hypotheses=evaluated,
        )

    def _stated(self, which: str) -> Statement:
        statement = getattr(self.claim, which)
        if statement is None:
            missing = {"stated": "formula", "needs": "needs", "corrected": "corrected"}[which]
            raise CheckFailed(f"{self.claim.id}: the inventory has no {missing!r} to take the statement from")
        assert isinstance(statement, Statement)
        return statement

    def _binding(self, statement: Statement, computed: Mapping[str, Any], hints: Hints) -> Binding:
        return Binding(statement, self.paper.table, definitions(self.paper.table), computed, hints, self._finder)

    # ---- steps ------------------------------------------------------------------------

    @_names_the_claim
    def equal(
        self, lhs: Any, rhs: Any, *, where: Sequence[sp.Basic] = (),
        sample: Mapping[sp.Symbol, Range] | None = None, corners: Sequence[Mapping[sp.Symbol, Any]] = (),
        using: Sequence[str] = (), given: str | None = None, instead_of: Sequence[str] = (),
    ) -> Proof:
        """lhs = rhs: by a symbolic strategy, then at 60 digits, then against mutants of rhs.

        ``where`` lists the hypotheses on the symbols (beyond their own assumptions), ``sample``
        ranges to stress (points of the whole declared domain are tried in any case), ``corners`` points at
        which it must be seen to hold.
        """
        finding = self._finder.equal(lhs, rhs, where, sample, corners)
        return self._add(Role.SUPPORT, finding, using, given, instead_of=tuple(instead_of))

    @_names_the_claim
    def limit(
        self, expression: Any, variable: sp.Symbol, point: Any, value: Any, *, direction: str | None = None,
        where: Sequence[sp.Basic] = (), using: Sequence[str] = (), given: str | None = None,
        instead_of: Sequence[str] = (),
    ) -> Proof:
        """The limit of ``expression`` as ``variable`` goes to ``point`` is ``value``.

        From both sides, unless the variable's domain has one only or ``direction`` names one; and
        approached at 60 digits, for parameters of either sign.
        """
        expression, point, value = map(sp.sympify, (expression, point, value))
        finding = self._finder.limit(expression, variable, point, value, direction, where)
        return self._add(Role.SUPPORT, finding, using, given, instead_of=tuple(instead_of))

    @_names_the_claim
    def series(
        self, expression: Any, variable: sp.Symbol, point: Any, order: int, expansion: Any, *,
        direction: str | None = None, where: Sequence[sp.Basic] = (),
        using: Sequence[str] = (), given: str | None = None, instead_of: Sequence[str] = (),
    ) -> Proof:
        """``expression`` = ``expansion`` + O((variable − point)^order): coefficient by coefficient, from each side
        that the domain has (or ``direction`` names), and by the size of the remainder near the point."""
        expression, point, expansion = map(sp.sympify, (expression, point, expansion))
        finding = self._finder.series(expression, variable, point, order, expansion, direction, where)
        return self._add(Role.SUPPORT, finding, using, given, instead_of=tuple(instead_of))

    @_names_the_claim
    def inequality(
        self, relation: sp.Rel, *, on: Mapping[sp.Symbol, Any], zeros: Mapping[sp.Symbol, Any] | None = None,
        tail: Mapping[sp.Symbol, Any] | None = None, where: Sequence[sp.Basic] = (),
        using: Sequence[str] = (), given: str | None = None, instead_of: Sequence[str] = (), max_boxes: int = 100_000,
    ) -> Proof:
        """An inequality on a whole region, proved by balls (see ``engines.enclosed.prove``)."""
        finding = self._finder.inequality(relation, on, zeros, tail, where, max_boxes)
        return self._add(Role.SUPPORT, finding, using, given, instead_of=tuple(instead_of))

    @_names_the_claim
    def exhaustive(
        self, cases: Iterable[Any], predicate: Callable[[Any], bool], *, because: str, what: str,
        wrong: Mapping[str, Callable[[Any], bool]], kind: str = "exact", only_gross: str | None = None,
        using: Sequence[str] = (), given: str | None = None, instead_of: Sequence[str] = (),
    ) -> Proof:
        """``predicate`` holds for each of the cases, which are all there are: ``because`` says why.

        ``kind`` says how the predicate decides: "exact" arithmetic, or "enclosed" when it asks balls. Each wrong
        variant fails on some case; one that fails on every case is a straw man: one has to be subtler than that,
        or ``only_gross`` says why none can be (as for a single case).
        """
        if len(because.split()) < 3:
            raise CheckFailed(f"because must say why these cases are all, got {because!r}")
        finding = self._finder.every(list(cases), predicate, what, wrong, kind, only_gross)
        return self._add(
            Role.SUPPORT, finding, using, given, instead_of=tuple(instead_of), scope=Scope.CASES, because=because
        )

    @_names_the_claim
    def instances(
        self, cases: Iterable[Any], predicate: Callable[[Any], bool], *, what: str,
        wrong: Mapping[str, Callable[[Any], bool]], kind: str = "exact", only_gross: str | None = None,
        second_line: bool = False, using: Sequence[str] = (), given: str | None = None, instead_of: Sequence[str] = (),
    ) -> Proof:
        """``predicate`` holds for some cases of a general statement: never more than ``instances``.

        With ``second_line`` they stand beside checks that settle the claim, and lower nothing.
        """
        finding = self._finder.every(list(cases), predicate, what, wrong, kind, only_gross)
        scope = _beside(second_line)
        return self._add(Role.SUPPORT, finding, using, given, instead_of=tuple(instead_of), scope=scope)

    @_names_the_claim
    def exact(
        self, lhs: Any, rhs: Any, *, using: Sequence[str] = (), given: str | None = None,
        instead_of: Sequence[str] = (),
    ) -> Proof:
        """lhs = rhs for exact numbers (Q, Q(√5), algebraic) or matrices of them."""
        return self._add(Role.SUPPORT, self._finder.exact(lhs, rhs), using, given, instead_of=tuple(instead_of))

    @_names_the_claim
    def simulated(
        self, simulate: Callable[[np.random.Generator, int], Any], expected: Any, *, seed: int, runs: int,
        what: str = "", resolution: float = simulated.RESOLUTION, second_line: bool = False,
        using: Sequence[str] = (), given: str | None = None,
    ) -> Proof:
        """A simulation from the model's words agrees with ``expected`` (a number) within its error.

        It has to be able to see an error of 1 %; a coarser ``resolution`` is named in the evidence. With
        ``second_line`` it stands beside checks that settle the claim, and lowers nothing.
        """
        samples = simulate(np.random.default_rng(seed), runs)
        value = float(expected)

        def agrees(target: float) -> Evidence:
            return simulated.compare(lambda *_: samples, target, seed=seed, runs=runs, what=what, resolution=resolution)

        proof = agrees(value)
        wrong = {f"{resolution:.1%} more": value * (1 + resolution), f"{resolution:.1%} less": value * (1 - resolution)}
        variants = [mutants.Mutant("value", name, sp.Symbol(name)) for name in wrong]
        tally = mutants.trial(variants, lambda m: agrees(wrong[str(m)]))
        return self._add(Role.SUPPORT, Finding([proof], tally, what), using, given, scope=_beside(second_line))

    @_names_the_claim
    def measured(
        self, function: Callable[..., Any], reference: Callable[..., Any], points: Sequence[Any], *, ulps: float,
        what: str, second_line: bool = False, using: Sequence[str] = (), given: str | None = None,
    ) -> Proof:
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
        return self._add(Role.SUPPORT, Finding([found], tally, what), using, given, scope=_beside(second_line))

    # ---- rules ------------------------------------------------------------------------

    @_names_the_claim
    def implied(
        self, conclusion: sp.Rel, *hypotheses: sp.Rel, times: Sequence[Any] = (), on: Mapping[sp.Symbol, Any] | None = None,
        where: Sequence[sp.Basic] = (), using: Sequence[str] = (), given: str | None = None,
    ) -> Proof:
        """``conclusion`` if ``hypotheses``, each of them used ``times`` its factor (see ``Finder.implied``)."""
        factors = dict(zip(hypotheses, times or [None] * len(hypotheses), strict=True))
        finding = self._finder.implied(conclusion, factors, on=on or {}, where=where)
        return self._add(Role.SUPPORT, finding, using, given)

    @_names_the_claim
    def by(self, rule: Callable[..., Finding], *premises: Any, as_step: bool = False, **details: Any) -> Proof:
        """What a rule of ``claimproof.session.rules`` concludes from proofs, of this claim or of others.

        The conclusion must be what the inventory says, if it says it in machine form; ``as_step`` is for one on
        the way to it. What the premises were given, the conclusion is given.
        """
        if rule not in rules.RULES:
            raise CheckFailed(f"{rule} is no rule (known: {', '.join(known.__name__ for known in rules.RULES)})")
        proofs = [p for p in (*premises, *details.values()) if isinstance(p, Proof)]
        if not proofs:
            raise CheckFailed(f"{rule.__name__}: no premise is a proof")
        finding = rule(*map(_finding_of, premises), **{name: _finding_of(value) for name, value in details.items()})
        if finding.relation is None:
            raise CheckFailed(f"{rule.__name__}: the conclusion has no machine form")
        second = ruled.looked_at(finding.relation, finding.where, self.claim.id)
        finding = replace(finding, evidence=[*finding.evidence, *([second] if second else [])])
        givens = list(dict.fromkeys(p.given for p in proofs if p.given))
        others = dict.fromkeys(p.claim.id for p in proofs if p.claim.id != self.claim.id)
        drawn = "; ".join(
            f"{p.says}{'' if p.claim.id == self.claim.id else f' ({p.claim.id})'}" for p in proofs
        )
        return self._add_concluded(
            finding, rule.__name__, list(others), " and ".join(givens) or None, as_step, because=f"from {drawn}"
        )

    @_names_the_claim
    def free_algebra(
        self, left: Block, right: Block, *, relations: Sequence[Relation] = (), because: str | None = None,
        as_step: bool = False, using: Sequence[str] = (), given: str | None = None, instead_of: Sequence[str] = (),
    ) -> Proof:
        """left = right for blocks of every size that meet the relations (see ``engines.free_algebra``).

        The inverses that are written have to exist; that and the relations are hypotheses of what is concluded.
        """
        evidence, tally = free_algebra.equal(left, right, relations)
        asked = f" if {', '.join(map(str, relations))}" if relations else ""
        whose = " with these inverses" if free_algebra.has_inverses(left, right) else ""
        finding = Finding(evidence, tally, f"{left} = {right} for blocks of every size{whose}{asked}")
        return self._add_concluded(
            finding, "free_algebra", using, given, as_step, instead_of=tuple(instead_of), because=because,
            latex=f"{free_algebra.latex(left)} = {free_algebra.latex(right)}",
        )

    def _add_concluded(
        self, finding: Finding, rule: str, using: Sequence[str], given: str | None, as_step: bool, **rest: Any
    ) -> Proof:
        """A conclusion with its place in the inventory's statement; its whole text is kept for the reader."""
        place = concluded.place_of(finding, self.claim, self.paper.table, as_step)
        finding = replace(finding, tally=finding.tally + place.tally)
        return self._add(
            Role.SUPPORT, finding, using, given, scope=place.scope, part=place.part, not_needed=place.not_needed,
            rule=rule, **{**_machine_form(finding.relation, self.paper.table), "formula": finding.of, **rest},
        )

    # ---- steps that a person takes ------------------------------------------------------

    @_names_the_claim
    def argued(
        self, name: str, why: str, *, using: Sequence[str] = (), given: str | None = None,
        instead_of: Sequence[str] = (),
    ) -> Proof:
        """A named step that only a person can check."""
        finding = Finding([stated.argued(name, why)], mutants.NONE, name)
        return self._add(Role.SUPPORT, finding, using, given, instead_of=tuple(instead_of), because=why)

    @_names_the_claim
    def follows(
        self, *, because: str, using: Sequence[str] = (), given: str | None = None, instead_of: Sequence[str] = ()
    ) -> Proof:
        """How the checks of this claim give its statement: a step that a person has to read."""
        finding = Finding([stated.argued(FOLLOWS, because)], mutants.NONE, "the statement follows")
        return self._add(Role.SUPPORT, finding, using, given, instead_of=tuple(instead_of), because=because)

    @_names_the_claim
    def textual(
        self, *, version: str, place: str, words: str, should_be: str | None = None,
        using: Sequence[str] = (),
    ) -> Proof:
        """A fact about the print; with ``should_be`` the print is wrong there, and that is a misprint."""
        role = Role.SUPPORT if should_be is None else Role.MISPRINT
        evidence = stated.textual(version, place, words, should_be, known=self.paper.info.versions)
        finding = Finding([evidence], mutants.NONE, f"{place} ({version})")
        return self._add(role, finding, using, None, printed=words, corrected=should_be)

    def definition(self) -> Proof:
        """Nothing is asserted: the claim fixes a name."""
        return self._add(Role.DEFINITION, Finding([], mutants.NONE, ""), (), None)

    # ---- refuting, correcting -------------------------------------------------------

    @_names_the_claim
    def refute(
        self, asserted: sp.Rel, *, witness: Mapping[sp.Symbol, Any], hypotheses: Sequence[sp.Basic] = (),
        instance: str | None = None, meets: Mapping[str, str] | None = None,
        using: Sequence[str] = (), instead_of: Sequence[str] = (),
    ) -> Proof:
        """What the paper asserts is false at an exact witness that meets its hypotheses.

        Those that the inventory has in machine form are evaluated there; ``hypotheses`` has the others.
        ``instance`` tells it in words; ``meets`` says for hypotheses in words why they hold there.
        """
        if unknown := [words for words in (meets or {}) if words not in self.claim.hypotheses]:
            raise CheckFailed(f"meets speaks of a hypothesis that the inventory doesn't have: {unknown[0]!r}")
        found = exact.refutes(asserted, witness, hypotheses)
        evaluated = len(hypotheses)
        if self.claim.stated is not None:
            of_inventory = self._binding(self.claim.stated, {}, Hints())
            evaluated += of_inventory.met({str(symbol): value for symbol, value in witness.items()})
        return self._add_refutation(
            found, f"not {_spoken(asserted)}", _spoken(asserted), using, instead_of=tuple(instead_of),
            instance=instance, meets=dict(meets or {}), hypotheses=evaluated, opposite=asserted,
            witness_of=(witness, hypotheses),
        )

    def _add_refutation(
        self, found: exact.Refutation, of: str, asserted: str, using: Sequence[str], *, opposite: sp.Rel | None = None,
        witness_of: tuple[Mapping[sp.Symbol, Any], Sequence[sp.Basic]] = ({}, ()), **rest: Any,
    ) -> Proof:
        tally = mutants.NONE
        if opposite is not None:
            turned = opposite.negated if isinstance(opposite, sp.Eq | sp.Ne) else mutants.reversed_relation(opposite)
            tally = mutants.trial(
                [mutants.Mutant("relation", "turned round", turned)], lambda m: exact.refutes(m, *witness_of)
            )
        finding = Finding([found.evidence], tally, of, opposite)
        return self._add(Role.REFUTATION, finding, using, None, witness=_witness_json(found, asserted), **rest)

    @_names_the_claim
    def misprint(
        self, lhs: Any, *, printed: Any, corrected: Any, witness: Mapping[sp.Symbol, Any],
        where: Sequence[sp.Basic] = (), sample: Mapping[sp.Symbol, Range] | None = None,
        corners: Sequence[Mapping[sp.Symbol, Any]] = (), instance: str | None = None, using: Sequence[str] = (),
        instead_of: Sequence[str] = (),
    ) -> Proof:
        """lhs = corrected is proved; lhs = printed is false at the witness."""
        lhs, printed, corrected = sp.sympify(lhs), sp.sympify(printed), sp.sympify(corrected)
        asserted = sp.Eq(lhs, printed, evaluate=False)
        found = exact.refutes(asserted, witness, where)
        right = self._finder.equal(lhs, corrected, where, sample, corners)
        finding = Finding(
            right.evidence, right.tally, f"{lhs} = {corrected}, not {printed}", right.relation, corrected
        )
        return self._add(
            Role.MISPRINT, finding, using, None, witness=_witness_json(found, _spoken(asserted)),
            against=(found.evidence.to_json(),), hypotheses=len(where),
            printed=sp.latex(printed), corrected=sp.latex(corrected), instance=instance, instead_of=tuple(instead_of),
        )

    @_names_the_claim
    def gap(self, *, step: str, because: str | None = None) -> Proof:
        """The statement stands by our own checks, but the paper's proof uses ``step``, which does not."""
        self.paper.inventory[step]
        return self._add(Role.GAP, Finding([], mutants.NONE, ""), (), None, gap_step=step, because=because)

    # ---- exporting ------------------------------------------------------------------

    @_names_the_claim
    def export(self, name: str, form: sp.Expr, *, of: Proof, **details: Any) -> CheckedClaim:
        """Compile what ``of`` has proved, in the stable form ``form``, into a numeric function."""
        if of.claim.id != self.claim.id:
            raise CheckFailed(f"{name} is to be exported from a proof of {of.claim.id}")
        if of.verified is None:
            raise CheckFailed(f"{name}: the check that is named has no right-hand side to export")
        export = make_export(
            claim_id=self.claim.id, place=self.claim.place, name=name, verified=of.verified, form=form, **details
        )
        self.paper.recorder.exports.append(export)
        print(f"{self.claim.id}  exported  {export.name}")
        return self

    # ---- recording ------------------------------------------------------------------

    def _add(self, role: Role, finding: Finding, using: Sequence[str], given: str | None, **rest: Any) -> Proof:
        for item in finding.evidence:
            if not isinstance(item, Evidence):
                raise TypeError(f"{self.claim.id}: {item!r} is no evidence")
        tally = finding.tally
        if tally.survivors:
            raise MutantSurvived(
                f"{self.claim.id}: {len(tally.survivors)} of {tally.total} mutants survived: "
                + "; ".join(tally.survivors)
            )
        for other in (*(using or ()), *rest.get("instead_of", ())):
            self.paper.inventory[other]
        place = Place.of_caller()
        written = _machine_form(finding.relation, self.paper.table) if "formula" not in rest else {}
        check = Check(
            role=role, evidence=tuple(e.to_json() for e in finding.evidence), killed=tally.killed, mutants=tally.total,
            survivors=tally.survivors, using=tuple(using or ()), given=given, of=_shown(finding.of) or None,
            file=place.file, line=place.line, cell=place.cell, **{**written, **rest},
        )
        record = self.paper.recorder.add(self.claim.id, check)
        parts = [e["detail"] for e in (*check.against, *check.evidence)]
        if check.scope is Scope.STATEMENT:
            parts.insert(0, "as stated" if check.part is None else f"as stated, part {check.part[0]} of {check.part[1]}")
        if given:
            parts.append(f"given {given}")
        if check.gap_step:
            parts.append(f"the paper's step {check.gap_step} does not hold")
        if tally.total:
            parts.append(f"mutants killed {tally.killed}/{tally.total}")
        if check.scope is Scope.STATEMENT and check.latex:
            show_statement(check.latex)
        print(f"{self.claim.id}  {record.verdict.value}  {' · '.join(parts)}".rstrip())
        return Proof(self, finding, given)


class Proof(CheckedClaim):
    """A claim after one of its checks: what an export names, and a claim to go on with."""

    def __init__(self, of: CheckedClaim, finding: Finding, given: str | None) -> None:
        super().__init__(of.claim, of.paper)
        self._finding = finding
        self.given = given

    @property
    def relation(self) -> sp.Basic | None:
        """What was proved, as a further check may name it."""
        return self._finding.relation

    @property
    def says(self) -> str:
        """What was proved, in one line."""
        return self._finding.of

    @property
    def verified(self) -> sp.Expr | None:
        """The side that was proved equal to what was computed."""
        return self._finding.verified

    def substituted(self, values: Mapping[sp.Symbol, Any]) -> Proof:
        """The same at other values of its symbols, by the rule of substitution."""
        return Proof(self, rules.substitution(self._finding, values), self.given)


def _finding_of(value: Any) -> Any:
    return value._finding if isinstance(value, Proof) else value


def _shown(statement: str) -> str:
    """What was checked, in one line that a person will read."""
    return statement if len(statement) <= LONGEST_SHOWN else statement[: LONGEST_SHOWN - 2] + " …"


_SIGNS = {"Eq": "==", "Ne": "!=", "Lt": "<", "Le": "<=", "Gt": ">", "Ge": ">="}


def _spoken(relation: sp.Basic | Tree) -> str:
    """A relation with its sign between its sides; anything else in its machine form."""
    match relation:
        case Apply(head, (left, right)) if head in _SIGNS:
            return f"{left} {_SIGNS[head]} {right}"
        case sp.Rel():
            return f"{relation.lhs} {relation.rel_op} {relation.rhs}"
        case _:
            return str(relation)


def _beside(second_line: bool) -> Scope:
    """Of how much a check of some cases, runs or points speaks."""
    return Scope.SECOND_LINE if second_line else Scope.INSTANCES


def _handed(computed: Mapping[str, Any], table: SymbolTable) -> dict[str, str]:
    """What was handed over, as a reader sees it."""
    return {name: _latex(value, table) for name, value in computed.items()}


def _latex(value: Any, table: SymbolTable) -> str:
    if callable(value) and not isinstance(value, sp.Basic):
        return "a function"
    value = sp.sympify(value)
    try:
        bridge = Bridge(table).with_local(value)
        return latex(bridge.tree(value), SymbolTable(bridge.symbols, source=table.source))
    except BridgeError:
        return str(sp.latex(value))


def _machine_form(relation: sp.Basic | None, table: SymbolTable) -> dict[str, str]:
    """The text and the LaTeX of what was checked, where it has a machine form that a person would read."""
    if relation is None:
        return {}
    try:
        bridge = Bridge(table).with_local(relation)
        tree = bridge.tree(relation)
        shown = {"formula": str(tree), "latex": latex(tree, SymbolTable(bridge.symbols, source=table.source))}
    except BridgeError:
        return {}
    return shown if len(shown["formula"]) <= 4 * LONGEST_SHOWN else {}


def _witness_json(found: exact.Refutation, asserted: str) -> dict[str, Any]:
    return {"at": dict(found.witness), "asserted": asserted, "left": str(found.left), "right": str(found.right)}
