"""What every generated function does around its formula: checks its arguments and its result.

A domain is a text such as ``"> 0"`` or ``"> 0 and < 1"``; every argument must also be
finite. A rule relates several arguments, such as Jensen's inequality. A violation is one
ValueError that names the argument, its value and what is accepted. A result that is not
a finite number is an error as well, never a silent nan.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
# -log E[exp(-mu X)] <= mu E[X] may be missed by the rounding of its two sides.
JENSEN_SLACK = 2.0**-50


class DomainSyntaxError(ValueError):
    """A domain text that is not of the form '> 0 and < 1'."""


def parse(text: str) -> tuple[tuple[str, int], ...]:
    """The comparisons of a domain text, as (operator, integer bound)."""
    found = []
    for part in text.split(" and "):
        sign, _, bound = part.strip().partition(" ")
        if sign not in _COMPARISONS or not bound.strip().lstrip("-").isdigit():
            raise DomainSyntaxError(f"not a domain: {text!r} (write for example '> 0 and < 1')")
        found.append((sign, int(bound)))
    return tuple(found)


@dataclass(frozen=True)
class Rule:
    """A relation between arguments. ``excess`` is negative where it is violated."""

    text: str
    needs: tuple[str, ...]
    excess: Callable[..., Any]


def _jensen(change_rate: Any, mean_access_time: Any, log_laplace: Any) -> Any:
    from crawlproof.kernels.float64 import relative_excess

    return relative_excess(mean_access_time, -log_laplace, change_rate)


RULES: dict[str, Rule] = {
    "jensen": Rule(
        "-log_laplace <= change_rate*mean_access_time (Jensen)",
        ("change_rate", "mean_access_time", "log_laplace"),
        _jensen,
    ),
}


def _first(bad: np.ndarray, *values: np.ndarray) -> list[float]:
    """The values at the first bad place."""
    where = np.unravel_index(int(np.argmax(bad)), bad.shape)
    return [float(np.broadcast_to(v, bad.shape)[where]) for v in values]


def _check_floats(function: str, values: Mapping[str, np.ndarray], domain: Mapping[str, str]) -> None:
    for name, value in values.items():
        finite = np.isfinite(value)
        inside = finite
        for sign, bound in parse(domain[name]):
            inside = inside & _COMPARISONS[sign](value, bound)
        if not inside.all():
            (shown,) = _first(~inside, value)
            raise ValueError(f"{function}: {name} must be finite and {domain[name]}, got {shown!r}")


def _check_rules(function: str, values: Mapping[str, np.ndarray], rules: Sequence[str]) -> None:
    for key in rules:
        rule = RULES[key]
        involved = [values[name] for name in rule.needs]
        bad = np.asarray(rule.excess(*involved) < -JENSEN_SLACK)
        if bad.any():
            shown = _first(bad, *involved)
            listed = ", ".join(f"{n} = {v!r}" for n, v in zip(rule.needs, shown, strict=True))
            raise ValueError(f"{function}: needs {rule.text}, got {listed}")


def on_floats(
    domain: Mapping[str, str], rules: Sequence[str] = (), nonnegative: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Arguments become float64 arrays and broadcast; all scalars give a Python float.

    ``nonnegative`` cuts a result off at 0: where a rule is violated by rounding alone the
    formula may come out below.
    """

    def decorate(formula: Callable[..., Any]) -> Callable[..., Any]:
        name = formula.__name__
        bind = signature(formula).bind

        @wraps(formula)
        def checked(*args: Any, **keywords: Any) -> Any:
            given = bind(*args, **keywords).arguments
            values = {k: np.asarray(v, dtype=np.float64) for k, v in given.items()}
            shape = np.broadcast_shapes(*(v.shape for v in values.values()))
            _check_floats(name, values, domain)
            _check_rules(name, values, rules)
            with np.errstate(over="ignore", under="ignore"):
                # a formula without its arguments is a constant: give it their shape too
                result = np.broadcast_to(np.asarray(formula(**values), dtype=np.float64), shape)
            bad = ~np.isfinite(result)
            if bad.any():
                at = _first(bad, *values.values())
                listed = ", ".join(f"{k} = {v!r}" for k, v in zip(values, at, strict=True))
                raise OverflowError(f"{name}: no finite float64 value at {listed}")
            if nonnegative:
                result = np.maximum(result, 0.0)
            return float(result) if shape == () else np.array(result)

        return checked

    return decorate


def on_mpmath(
    domain: Mapping[str, str], rules: Sequence[str] = (), nonnegative: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Numbers of mpmath at the caller's precision; guard bits inside, one rounding at the end."""
    del rules, nonnegative  # with exact arguments the formula is right as it stands

    def decorate(formula: Callable[..., Any]) -> Callable[..., Any]:
        name = formula.__name__
        bind = signature(formula).bind

        @wraps(formula)
        def checked(*args: Any, **keywords: Any) -> Any:
            from mpmath import isfinite, mp, nstr

            values = {k: mp.convert(v) for k, v in bind(*args, **keywords).arguments.items()}
            for key, value in values.items():
                inside = isfinite(value) and all(
                    _COMPARISONS[sign](value, bound) for sign, bound in parse(domain[key])
                )
                if not inside:
                    raise ValueError(
                        f"{name}: {key} must be finite and {domain[key]}, got {nstr(value)}"
                    )
            with mp.workprec(mp.prec + 32):
                result = mp.convert(formula(**values))
            return +result

        return checked

    return decorate


def on_balls(
    domain: Mapping[str, str], rules: Sequence[str] = (), nonnegative: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Balls of python-flint: a ball certainly outside the domain is refused, and so is a float."""
    del rules, nonnegative

    def decorate(formula: Callable[..., Any]) -> Callable[..., Any]:
        name = formula.__name__
        bind = signature(formula).bind

        @wraps(formula)
        def checked(*args: Any, **keywords: Any) -> Any:
            from flint import arb, fmpq, fmpz

            values = {}
            for key, value in bind(*args, **keywords).arguments.items():
                if not isinstance(value, arb | fmpq | fmpz | int):
                    raise TypeError(
                        f"{name}: {key} must be an arb, fmpq or integer, got {value!r}; "
                        "arb(value) takes a float as the exact number that it is"
                    )
                values[key] = ball = arb(value)
                for sign, bound in parse(domain[key]):
                    opposite = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}[sign]
                    if not ball.is_finite() or _COMPARISONS[opposite](ball, bound):
                        raise ValueError(
                            f"{name}: {key} must be finite and {domain[key]}, got {ball}"
                        )
            return arb(formula(**values))

        return checked

    return decorate
