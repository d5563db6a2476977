"""The project's kernels: small stable functions, one module for each kind of numbers, named in its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType

import sympy as sp

from claimproof.core.project import Project, SettingsError


@dataclass(frozen=True)
class Kernels:
    """One package of kernels: as sympy functions, and for floats, mpmath numbers and balls."""

    package: str
    functions: Mapping[str, type[sp.Function]]
    in_exponentials: Callable[[sp.Expr], sp.Expr]
    float64: ModuleType
    multiprecision: ModuleType
    balls: ModuleType
    domain: ModuleType


@cache
def _load(package: str) -> Kernels:
    symbolic, float64, multiprecision, balls, domain = (
        import_module(f"{package}.{name}") for name in ("symbolic", "float64", "multiprecision", "balls", "domain")
    )
    return Kernels(package, symbolic.KERNELS, symbolic.in_exponentials, float64, multiprecision, balls, domain)


def kernels() -> Kernels:
    """The kernels of the project around the working folder."""
    package = Project.find().settings.kernels
    if package is None:
        raise SettingsError("[tool.claimproof] names no kernels: an export needs kernels = \"package.kernels\"")
    return _load(package)
