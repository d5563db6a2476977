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
    """Collects calls on claims, in the order of the file, as names are bound on the way.

    A name may stand for several claims: the variable of a loop over their ids does.
    """

    def __init__(self, known: frozenset[str]) -> None:
        self.known = known
        self.bound: dict[str, frozenset[str]] = {}
        self.found: list[tuple[str, str, ast.Call]] = []
        self.mentioned: dict[str, ast.stmt] = {}

    def _claims(self, node: ast.AST) -> frozenset[str]:
        """The claims that an expression stands for: an id, a bound name, or a call with either."""
        if isinstance(node, ast.Constant):
            return self.known & {node.value} if isinstance(node.value, str) else frozenset()
        if isinstance(node, ast.Name):
            return self.bound.get(node.id, frozenset())
        if isinstance(node, ast.Call) and node.args:
            return self._claims(node.args[0])
        return frozenset()

    def _bind(self, target: ast.AST, values: list[ast.AST]) -> None:
        """Let a target stand for the claims of what it is bound to, part by part."""
        if isinstance(target, ast.Name):
            self.bound[target.id] = frozenset().union(*(self._claims(value) for value in values))
        elif isinstance(target, ast.Tuple | ast.List):
            for place, part in enumerate(target.elts):
                rows = [v.elts for v in values if isinstance(v, ast.Tuple | ast.List) and len(v.elts) > place]
                self._bind(part, [row[place] for row in rows])

    def visit(self, node: ast.AST) -> None:
        # The innermost statement that has an id is what is shown where no call on its claim is found.
        if isinstance(node, ast.stmt) and not isinstance(node, ast.For | ast.While | ast.If | ast.With | ast.FunctionDef):
            for inner in ast.walk(node):
                for claim in self._claims(inner) if isinstance(inner, ast.Constant) else ():
                    self.mentioned.setdefault(claim, node)
        super().visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        for target in node.targets:
            self._bind(target, [node.value])

    def visit_For(self, node: ast.For) -> None:
        if isinstance(node.iter, ast.Tuple | ast.List):
            self._bind(node.target, node.iter.elts)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            for claim in sorted(self._claims(node.func.value)):
                self.found.append((claim, node.func.attr, node))
        self.generic_visit(node)


def check_lines(root: Path, path: str, claims: Iterable[str]) -> dict[str, list[CheckLine]]:
    """For each claim, the calls in a derivation that check it.

    A claim whose calls can't be told from the syntax (a helper makes them) gets the statement
    that names it, or else the first line that does.
    """
    source = (root / path).read_text(encoding="utf-8")
    lines = source.splitlines()
    calls = _Calls(frozenset(claims))
    calls.visit(ast.parse(source))

    def line_of(node: ast.Call | ast.stmt, method: str) -> CheckLine:
        return CheckLine(path, node.lineno, "\n".join(lines[node.lineno - 1 : node.end_lineno]), method)

    found: dict[str, list[CheckLine]] = {claim: [] for claim in sorted(calls.known)}
    for claim, method, node in calls.found:
        found[claim].append(line_of(node, method))
    for claim, own in found.items():
        if not own and claim in calls.mentioned:
            own.append(line_of(calls.mentioned[claim], "named"))
        elif not own:
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
