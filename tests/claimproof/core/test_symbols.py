"""Symbol tables: what is read, and what each mistake is told."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from claimproof.core.symbols import Domain, Kernel, Symbol, SymbolError, SymbolTable, load

GOOD = r'''
[symbol.mu]
latex = '\mu'
domain = "positive"
meaning = "change rate of a page"

[symbol.kappa]
latex = '\kappa'
domain = "positive"
of = "positive integer"
meaning = "minus the logarithm of h"
defined_by = "Eq(kappa[i], -log(h[i]))"

[symbol.G]
latex = "G"
domain = "[0, 1]"
of = ["real", "positive integer"]
meaning = "law of d accesses"
'''


def written(folder: Path, text: str) -> Path:
    path = folder / "clw" / "symbols.toml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table(tmp_path):
    table = load(written(tmp_path, GOOD), [Kernel("psi", r"\psi", 1)])
    assert list(table) == ["mu", "kappa", "G"]
    assert table["mu"] == Symbol("mu", r"\mu", Domain.POSITIVE, "change rate of a page")
    assert table["kappa"].is_family
    assert not table["kappa"].is_function
    assert table["G"].is_function
    assert table["G"].of == (Domain.REAL, Domain.POSITIVE_INTEGER)
    assert table["kappa"].defined_by == "Eq(kappa[i], -log(h[i]))"
    assert table.source == "clw/symbols.toml"
    assert (table.latex("mu"), table.latex("psi")) == (r"\mu", r"\psi")


def test_an_empty_table(tmp_path):
    assert len(load(written(tmp_path, ""))) == 0


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[symbol.mu", ["clw/symbols.toml", "not valid TOML"]),
        ("[symbols.mu]\nlatex = 'm'", ["unknown table 'symbols'", "accepted: symbol"]),
        ("symbol = 3", ["[symbol.mu]", "3"]),
        ("symbol.mu = 3", ["mu", "must be a table", "latex, domain, meaning"]),
        ("[symbol.mu]\nlatex = 'm'\ndomain = 'positive'", ["mu", "'meaning' is missing"]),
        ("[symbol.mu]\nlatex = 'm'\ndomain = 'positive'\nmeaning = ' '", ["mu", "'meaning'", "not empty"]),
        ("[symbol.mu]\nlatex = 1\ndomain = 'positive'\nmeaning = 'm'", ["mu", "'latex'", "1"]),
        ("[symbol.mu]\nlatex = 'm'\ndomain = 'postive'\nmeaning = 'm'", ["mu", "'domain'", "'postive'", "nonnegative integer"]),
        ("[symbol.mu]\nlatex = 'm'\ndomain = ['real']\nmeaning = 'm'", ["mu", "'domain'", "['real']"]),
        ("[symbol.mu]\nlatex = 'm'\ndomain = 'real'\nmeaning = 'm'\nunit = '1/s'", ["mu", "unknown field 'unit'", "defined_by"]),
        ("[symbol.mu]\nlatex = 'm'\ndomain = 'real'\nmeaning = 'm'\nof = 'pages'", ["mu", "'of'", "'pages'", "real"]),
        ("[symbol.mu]\nlatex = 'm'\ndomain = 'real'\nmeaning = 'm'\nof = []", ["mu", "'of'", "[]"]),
        ("[symbol.mu]\nlatex = 'm'\ndomain = 'real'\nmeaning = 'm'\nof = [3]", ["mu", "'of'", "3"]),
        ("[symbol.lambda]\nlatex = 'm'\ndomain = 'real'\nmeaning = 'm'", ["lambda", "not a name"]),
        ("[symbol.E]\nlatex = 'm'\ndomain = 'real'\nmeaning = 'm'", ["E", "not a name"]),
        ("[symbol.Sum]\nlatex = 'm'\ndomain = 'real'\nmeaning = 'm'", ["Sum", "not a name"]),
        ("[symbol.'μ']\nlatex = 'm'\ndomain = 'real'\nmeaning = 'm'", ["μ", "not a name"]),
        ("[symbol.__class__]\nlatex = 'm'\ndomain = 'real'\nmeaning = 'm'", ["__class__", "not a name"]),
        ("[symbol.psi]\nlatex = 'm'\ndomain = 'real'\nmeaning = 'm'", ["psi", "kernel"]),
    ],
)
def test_mistakes(tmp_path, text, parts):
    with pytest.raises(SymbolError) as caught:
        load(written(tmp_path, text), [Kernel("psi", r"\psi", 1)])
    message = str(caught.value)
    assert message.startswith("clw/symbols.toml: ")
    assert "\n" not in message
    for part in parts:
        assert part in message


def test_a_missing_symbol_names_those_that_look_like_it(table):
    with pytest.raises(KeyError, match="near: kappa"):
        table["kapa"]


def test_extending_replaces_by_name(table):
    wider = table.extended([Symbol("mu", "m", Domain.REAL, "another"), Symbol("q", "q", Domain.REAL, "new")])
    assert (wider["mu"].domain, wider["q"].latex, table["mu"].domain) == (Domain.REAL, "q", Domain.POSITIVE)
    assert wider.kernels == table.kernels
    with pytest.raises(SymbolError, match="pi"):
        table.extended([Symbol("pi", "p", Domain.REAL, "a law")])


@pytest.mark.parametrize("domain", Domain)
def test_domains_know_their_members(domain):
    values = [Fraction(n, 2) for n in range(-4, 5)]
    inside = {
        "real": values, "positive": [v for v in values if v > 0], "nonnegative": [v for v in values if v >= 0],
        "negative": [v for v in values if v < 0], "(0, 1)": [Fraction(1, 2)], "[0, 1]": [Fraction(n, 2) for n in (0, 1, 2)],
        "(0, 1]": [Fraction(1, 2), 1], "[0, 1)": [0, Fraction(1, 2)], "integer": [-2, -1, 0, 1, 2],
        "positive integer": [1, 2], "nonnegative integer": [0, 1, 2],
    }[domain.value]
    assert [v for v in values if domain.bounds.contains(v)] == inside
    assert all(domain.widened.bounds.contains(Fraction(v)) for v in inside)
    assert domain.latex


def test_symbols_as_plain_data(table):
    for symbol in table.values():
        assert Symbol.from_json(symbol.to_json()) == symbol
    for wrong in (None, 3, {}, {"name": "mu"}, {**table["mu"].to_json(), "domain": "x"}, {**table["mu"].to_json(), "name": "E"}):
        with pytest.raises(SymbolError):
            Symbol.from_json(wrong)


def test_a_table_is_a_mapping(table):
    assert isinstance(table, SymbolTable)
    assert set(table) == {s.name for s in table.values()}
    assert table.get("nothing") is None
