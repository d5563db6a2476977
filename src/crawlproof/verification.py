"""The commands about the papers, as claimproof has them. The only module here that imports claimproof,
beside ``crawlproof.models``, which derivations use."""

from __future__ import annotations

from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from claimproof.cli import app
from claimproof.terminal import PROGRAM


def command(name: str) -> TyperCommand:
    """The command ``name`` of claimproof, under this program's name."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    found = group.commands[name]
    assert isinstance(found, TyperCommand)
    PROGRAM.set("crawlproof")
    found.epilog = (found.epilog or "").replace("claimproof ", "crawlproof ")
    return found
