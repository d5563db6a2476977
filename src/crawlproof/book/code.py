"""Which line of which derivation checks a claim."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CheckLine:
    """A call that checks a claim: its file relative to the checkout, first line and text."""

    path: str
    line: int
    code: str
    method: str


class _Calls(ast.NodeVisitor):
    """Collects calls on claims, in the order of the file, as names are bound on the way."""

    def __init__(self, known: frozenset[str]) -> None:
        self.known = known
        self.bound: dict[str, str] = {}
        self.found: list[tuple[str, str, ast.AST]] = []

    def _claim(self, node: ast.AST) -> str | None:
        """The claim that an expression stands for: a bound name, or a call with its id."""
        if isinstance(node, ast.Name):
            return self.bound.get(node.id)
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            value = node.args[0].value
            return value if isinstance(value, str) and value in self.known else None
        return None

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        claim = self._claim(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                if claim is None:
                    self.bound.pop(target.id, None)
                else:
                    self.bound[target.id] = claim

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            claim = self._claim(node.func.value)
            if claim is not None:
                self.found.append((claim, node.func.attr, node))
        self.generic_visit(node)


def check_lines(root: Path, path: str, claims: Iterable[str]) -> dict[str, list[CheckLine]]:
    """For each claim, the calls in a derivation that check it.

    A claim whose calls can't be told from the syntax (ids in a table, say) gets the first line
    that names it.
    """
    source = (root / path).read_text(encoding="utf-8")
    lines = source.splitlines()
    wanted = frozenset(claims)
    calls = _Calls(wanted)
    calls.visit(ast.parse(source))
    found: dict[str, list[CheckLine]] = {claim: [] for claim in sorted(wanted)}
    for claim, method, node in calls.found:
        code = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        found[claim].append(CheckLine(path, node.lineno, code, method))
    for claim, own in found.items():
        if not own:
            named = next((n for n, text in enumerate(lines, start=1) if f'"{claim}"' in text), None)
            if named is not None:
                own.append(CheckLine(path, named, lines[named - 1], "named"))
    return found


# What decides that a claim is not as printed, most telling first.
_DECIDING = ("refute", "misprint", "textual", "gap")


def deciding(lines: Iterable[CheckLine]) -> CheckLine | None:
    """The call that shows the error, else the first check."""
    own = list(lines)
    for method in _DECIDING:
        for line in own:
            if line.method == method:
                return line
    return own[0] if own else None
