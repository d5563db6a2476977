"""The inventory refuses what contradicts itself, by name."""

from __future__ import annotations

import pytest

from claimproof.core import inventory
from claimproof.core.project import Project

PAPER = '''
[paper]
key = "toy"
title = "A toy"
authors = ["A. Author"]
versions = { "1997" = "report", "1999" = "article" }
'''


def claim(name: str, **fields: str) -> str:
    lines = {"place": '"Lemma 1"', "section": '"1"', "versions": '["1997"]', "statement": '"x = x"'} | fields
    return f'\n[[claim]]\nid = "{name}"\n' + "".join(f"{key} = {value}\n" for key, value in lines.items())


@pytest.fixture
def load(tmp_path):
    def load(*texts: str) -> inventory.Inventory:
        folder = tmp_path / "derivations" / "toy"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "claims.toml").write_text(PAPER + "".join(texts), encoding="utf-8")
        return inventory.load(Project(tmp_path))

    return load


def test_a_good_inventory_keeps_its_order(load):
    found = load(claim("B"), claim("A", rests_on='["B"]'))
    assert list(found.claims) == ["B", "A"]
    assert found["A"].rests_on == ("B",)
    assert found.papers["toy"].versions["1999"] == "article"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([claim("A"), claim("A")], "A is listed twice"),
        ([claim("A", rests_on='["B"]')], "A refers to B"),
        ([claim("A", corrects='"B"')], "A refers to B"),
        ([claim("A", colour='"red"')], "A: unknown field 'colour'"),
        ([claim("A", statement='" "')], "A: field 'statement' is empty"),
        ([claim("A", statement="3")], "A: field 'statement' must be a str, not 3"),
        ([claim("A", versions='["2001"]')], "A: unknown version '2001'"),
        ([claim("A", rests_on="[3]")], "A: field 'rests_on' holds 3"),
        (['\n[[claim]]\nid = "A"\n'], "A: field 'place' is missing"),
        (["\n[extra]\n"], "unknown table 'extra'"),
        (["\n[[claim]\n"], "not valid TOML"),
        (
            [claim("A"), claim("B", corrects='"A"'), claim("C", corrects='"A"')],
            "A is corrected twice: B and C",
        ),
    ],
)
def test_what_is_wrong_is_named(load, texts, message):
    with pytest.raises(inventory.InventoryError, match=message):
        load(*texts)


def test_a_cycle_is_shown_whole(load):
    with pytest.raises(inventory.InventoryError, match="cycle: A -> B -> C -> A"):
        load(claim("A", rests_on='["B"]'), claim("B", rests_on='["C"]'), claim("C", rests_on='["A"]'))


def test_the_key_is_that_of_the_folder(tmp_path):
    folder = tmp_path / "derivations" / "other"
    folder.mkdir(parents=True)
    (folder / "claims.toml").write_text(PAPER, encoding="utf-8")
    with pytest.raises(inventory.InventoryError, match="differs from its folder 'other'"):
        inventory.load(Project(tmp_path))


def test_an_unknown_claim_is_named(load):
    with pytest.raises(inventory.InventoryError, match="unknown claim 'Z'"):
        load(claim("A"))["Z"]
