"""Statements: what they quantify, their canonical form, their definitions, and how they are made wrong."""

from __future__ import annotations

import json

import pytest

from claimproof.core import tree as t
from claimproof.core.statement import Statement, StatementError, Way, conditions, definitions, read, unfolded
from claimproof.core.symbols import Domain, Symbol, SymbolError
from claimproof.core.tree import TreeError

LEMMA = "Eq(EZ, d*EX - (1 - h**d)/mu)"


def lemma(table):
    return Statement.read(LEMMA, ["mu > 0", "h < 1"], table=table, source="clw/claims.toml: CLW-L3.1")


def test_reading(table):
    statement = lemma(table)
    assert [s.name for s in statement.symbols] == ["EX", "EZ", "d", "h", "mu"]
    assert statement.quantified == statement.symbols
    assert [str(c) for c in statement.conditions] == ["EX > 0", "EZ >= 0", "d >= 1", "h > 0", "h < 1", "mu > 0"]
    assert statement.text == (
        "for all EX: positive, EZ: nonnegative, d: positive integer, h: (0, 1), mu: positive "
        "where mu > 0; h < 1 |- Eq(EZ, d*EX - (1 - h**d)/mu)"
    )
    assert str(statement) == statement.text


def test_bound_symbols_occur_but_are_not_quantified(table):
    statement = Statement.read("Eq(Sum(kappa[i], (i, 1, N)), x)", table=table)
    assert [s.name for s in statement.symbols] == ["N", "i", "kappa", "x"]
    assert [s.name for s in statement.quantified] == ["N", "kappa", "x"]
    assert "kappa[positive integer]: positive" in statement.text


def test_a_statement_without_symbols(table):
    assert Statement.read("Eq(1 + 1, 2)", table=table).text == "|- Eq(1 + 1, 2)"


def test_the_fingerprint_is_that_of_the_text(table):
    statement = lemma(table)
    assert statement.sha256 == lemma(table).sha256
    assert len(statement.sha256) == 64
    others = [
        Statement.read(LEMMA, ["mu > 0"], table=table),
        Statement.read(LEMMA.replace("-", "+", 1), ["mu > 0", "h < 1"], table=table),
        Statement.read(LEMMA, ["mu > 0", "h < 1"], table=table.extended([Symbol("mu", "m", Domain.REAL, "wider")])),
    ]
    assert len({statement.sha256, *(other.sha256 for other in others)}) == 4


def test_plain_data(table):
    statement = lemma(table)
    data = json.loads(json.dumps(statement.to_json()))
    assert Statement.from_json(data) == statement
    for wrong in (None, {}, {**data, "symbols": 3}, {**data, "conclusion": ["Name", "x"]}):
        with pytest.raises(TreeError):
            Statement.from_json(wrong)
    with pytest.raises(SymbolError):
        Statement.from_json({**data, "symbols": [3]})


@pytest.mark.parametrize(
    ("formula", "where", "part"),
    [
        ("x + 1", [], "the conclusion must be a proposition"),
        ("x > 1", ["x"], "a hypothesis must be a proposition"),
        ("x > 1", ["x > "], "where: 'x > '"),
        ("x >> 1", [], "formula: 'x >> 1'"),
        ("Eq(Limit(1/x, x, oo), 0)", ["x > 0"], "x, which the conclusion binds"),
    ],
)
def test_mistakes_name_the_claim(table, formula, where, part):
    with pytest.raises(StatementError) as caught:
        Statement.read(formula, where, table=table, source="clw/claims.toml: CLW-9")
    assert str(caught.value).startswith("clw/claims.toml: CLW-9: ")
    assert part in str(caught.value)


def test_a_name_may_be_free_in_one_part_and_bound_in_another(table):
    Statement.read("And(y - 1 < y, Eq(Limit(y, y, 0), 0))", ["y < 1"], table=table)


# ---- definitions ------------------------------------------------------------------------


def defined(table, **texts):
    return table.extended(
        Symbol(name, name, table[name].domain, "defined", text, table[name].of) for name, text in texts.items()
    )


def test_definitions_unfold_to_primitive_symbols(table):
    known = definitions(defined(table, EZ="EX*x0", x0="mu + 1", kappa="Eq(kappa[i], -log(i*EZ))", H="Eq(H(y), y**2)"))
    assert unfolded(read("EZ - 1", table), known) == read("EX*(mu + 1) - 1", table)
    assert unfolded(read("kappa[3]", table), known) == read("-log(3*(EX*(mu + 1)))", table)
    assert unfolded(read("H(H(x))", table), known) == read("(x**2)**2", table)
    assert unfolded(read("Sum(kappa[k], (k, 1, N))", table), known) == read("Sum(-log(k*(EX*(mu + 1))), (k, 1, N))", table)
    assert unfolded(read("x + y", table), known) == read("x + y", table)


@pytest.mark.parametrize(
    ("texts", "part"),
    [
        ({"EZ": "x0 + 1", "x0": "2*EZ"}, "circle: EZ -> x0 -> EZ"),
        ({"EZ": "EZ + 1"}, "circle: EZ -> EZ"),
        ({"EZ": "Eq(EZ, 1)"}, "must be an expression"),
        ({"EZ": "foo"}, "unknown name 'foo'"),
        ({"kappa": "log(x)"}, "must be an equation Eq(kappa[i], ...)"),
        ({"kappa": "Eq(kappa[1], 2)"}, "must be an equation Eq(kappa[i], ...)"),
        ({"H": "Eq(x, H(x))"}, "must be an equation Eq(H(x), ...)"),
    ],
)
def test_mistakes_in_definitions(table, texts, part):
    with pytest.raises(StatementError) as caught:
        definitions(defined(table, **texts))
    assert part in str(caught.value)
    assert str(caught.value).startswith("paper/symbols.toml: ")


def test_unfolding_captures_nothing(table):
    known = definitions(defined(table, EZ="t*x"))
    with pytest.raises(TreeError, match="bound there"):
        unfolded(read("Integral(EZ, (t, 0, 1))", table), known)


# ---- made wrong -------------------------------------------------------------------------


def shown(variants):
    return [(v.way, v.description, str(v.statement.conclusion)) for v in variants]


def test_an_equation_made_wrong(table):
    variants = Statement.read("Eq(x, y)", ["x > 1", "y >= 0"], table=table).falsified()
    assert shown(variants) == [
        (Way.SIGN, "right side negated", "Eq(x, -y)"),
        (Way.FACTOR, "right side doubled", "Eq(x, 2*y)"),
        (Way.SHIFT, "right side plus 1", "Eq(x, y + 1)"),
        (Way.RELATION, "= turned into !=", "Ne(x, y)"),
        (Way.HYPOTHESIS, "without x > 1", "Eq(x, y)"),
        (Way.HYPOTHESIS, "without y >= 0, and y taken from all numbers", "Eq(x, y)"),
    ]
    assert [str(h) for h in variants[4].statement.hypotheses] == ["y >= 0"]
    assert [s.domain for s in variants[5].statement.symbols] == [Domain.REAL, Domain.REAL]
    assert [s.domain for s in variants[4].statement.symbols] == [Domain.REAL, Domain.NONNEGATIVE]


def test_domains_that_no_hypothesis_repeats_are_widened(table):
    (wider,) = [v for v in Statement.read("Eq(sqrt(y**2), y)", table=table).falsified() if v.way is Way.DOMAIN]
    assert wider.description == "y real, not nonnegative"
    assert wider.statement.symbols[0].domain is Domain.REAL


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("Eq(x, 0)", {"Eq(x, 1)", "Ne(x, 0)"}),
        ("Eq(x, 3)", {"Eq(x, -3)", "Eq(x, 6)", "Eq(x, 4)", "Ne(x, 3)"}),
        ("Eq(Limit(x, x, oo), oo)", {"Eq(Limit(x, x, oo), -oo)", "Ne(Limit(x, x, oo), oo)"}),
        ("Eq(Limit(x, x, -oo), -oo)", {"Eq(Limit(x, x, -oo), oo)", "Ne(Limit(x, x, -oo), -oo)"}),
        ("x < x0", {"x < -x0", "x < x0/2", "x < x0 - 1", "x >= x0"}),
        ("x >= x0", {"-x >= x0", "x/2 >= x0", "x - 1 >= x0", "x < x0"}),
        ("x <= 0", {"-x <= 0", "x <= -1", "x > 0"}),
        ("x < oo", {"x >= oo"}),
        ("Ne(x, 1)", {"Eq(x, 1)"}),
        ("Not(x < 1)", {"x < 1"}),
        ("Or(x < 1, x > 0)", {"Not(Or(x < 1, x > 0))"}),
        ("Equivalent(x < 1, 1 > x)", {"Equivalent(x < 1, 1 <= x)"}),
        ("Implies(x > 0, Ne(x, 0))", {"Implies(x > 0, Eq(x, 0))", "Ne(x, 0)"}),
        ("And(Ne(x, 0), Ne(x0, 1))", {"And(Eq(x, 0), Ne(x0, 1))", "And(Ne(x, 0), Eq(x0, 1))"}),
        (
            "Series(exp(x), x, 0, 2, 1 + x)",
            {"Series(exp(x), x, 0, 2, -(1 + x))", "Series(exp(x), x, 0, 2, 2*(1 + x))", "Series(exp(x), x, 0, 2, 1 + x + 1)"},
        ),
    ],
)
def test_every_form_is_made_wrong(table, formula, expected):
    variants = Statement.read(formula, table=table).falsified()
    assert {str(v.statement.conclusion) for v in variants} == expected
    assert len(variants) == len(expected)


def test_subtle_ways(table):
    variants = Statement.read("Eq(x, Sum(k - x0, (k, 1, N)) - 3)", table=table).subtle()
    assert {str(v.statement.conclusion) for v in variants} == {
        "Eq(x, 1000001/1000000*(Sum(k - x0, (k, 1, N)) - 3))",
        "Eq(x, Sum(k - x0, (k, 1, N)) + 3)",
        "Eq(x, Sum(k + x0, (k, 1, N)) - 3)",
        "Eq(x, Sum(k - x0, (k, 2, N)) - 3)",
        "Eq(x, Sum(k - x0, (k, 1, N + 1)) - 3)",
    }
    assert {v.way for v in variants} == {Way.SUBTLE}
    (added,) = Statement.read("Series(exp(x), x, 1, 3, E)", table=table).subtle()
    assert str(added.statement.conclusion) == "Series(exp(x), x, 1, 3, E + (x - 1)**2)"


def test_subtle_ways_leave_premises_alone(table):
    variants = Statement.read("Implies(x + 1 > 0, x - 1 < 0)", table=table).subtle()
    assert [str(v.statement.conclusion) for v in variants] == ["Implies(x + 1 > 0, x + 1 < 0)"]


def test_no_variant_is_the_original(table, trees):
    for tree in trees:
        if t.is_proposition(tree):
            original = Statement.of(tree, (), table)
            for variant in (*original.falsified(), *original.subtle()):
                assert variant.statement.sha256 != original.sha256


def test_conditions_of_domains(table):
    assert [str(c) for c in conditions(Symbol("q", "q", Domain.RIGHT_OPEN_UNIT, "q"))] == ["q >= 0", "q < 1"]
    assert conditions(table["x"]) == ()
