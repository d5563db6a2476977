"""The reference page's data: generated functions with their provenance, solvers with their documentation."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_FIELD = re.compile(r"^    (Claim|Formula|Symbols|srepr|sympy|Domain|Result|Error):\s+(.*)$")


@dataclass(frozen=True)
class Generated:
    """A generated function, as its docstring tells it."""

    name: str
    module: str
    arguments: tuple[str, ...]
    summary: str
    claim: str
    place: str
    fields: dict[str, str]
    described: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Documented:
    """A public name of a solver package."""

    name: str
    signature: str
    summary: str
    details: str


def _fields(lines: Sequence[str]) -> dict[str, str]:
    """The labelled lines of a docstring, continuation lines joined."""
    found: dict[str, str] = {}
    current = ""
    for line in lines:
        if match := _FIELD.match(line):
            current = match[1]
            found[current] = match[2]
        elif current and line.startswith("        "):
            found[current] += " " + line.strip()
        else:
            current = ""
    return found


def _arguments(lines: Sequence[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in lines:
        if match := re.match(r"^        (\w+) (\(.*)$", line):
            found.append((match[1], match[2]))
        elif found and line.strip():
            name, text = found[-1]
            found[-1] = (name, f"{text} {line.strip()}")
    return found


def generated(folder: Path) -> list[Generated]:
    """Every generated function for numpy arrays, from the committed sources."""
    found = []
    for path in sorted(folder.glob("*.py")):
        if path.stem == "__init__" or path.stem.endswith(("_mpmath", "_arb")):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef):
                continue
            text = ast.get_docstring(node, clean=False) or ""
            head, _, tail = text.partition("\n    Arguments:\n")
            fields = _fields(head.splitlines())
            claim, _, place = fields["Claim"].partition(" (")
            found.append(Generated(
                node.name, path.stem, tuple(a.arg for a in node.args.args), text.splitlines()[0], claim,
                place.removesuffix(")"), fields, tuple(_arguments(tail.splitlines())),
            ))
    return found


def documented(package: str) -> list[Documented]:
    """The public names of a package, classes and functions first line by first line."""
    module = importlib.import_module(package)
    own = package.partition(".")[0]
    found = []
    for name in module.__all__:
        thing = getattr(module, name)
        # An error class is documented where it is raised, and has no signature to show.
        if not inspect.isfunction(thing) and (not inspect.isclass(thing) or issubclass(thing, Exception)):
            continue
        text = inspect.getdoc(thing) or ""
        summary, _, details = text.partition("\n\n")
        signature = re.sub(rf"~?\b(?:{own}|numpy|collections|typing)(?:\.\w+)*\.", "", str(inspect.signature(thing)))
        found.append(Documented(name, signature.replace("'", ""), " ".join(summary.split()), details))
    return found
