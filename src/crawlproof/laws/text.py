"""Laws written as texts, for the command line: ``exponential:2s``, ``gamma:shape=2,mean=0.5s``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from crawlproof.laws.base import Law
from crawlproof.laws.elementary import Deterministic, Erlang, Exponential, Gamma, Uniform
from crawlproof.laws.heavy import Lognormal, Pareto
from crawlproof.laws.mixtures import Empirical, Hyperexponential, TwoPoint

#: Seconds in each unit of time. A time without a unit is in seconds.
UNITS = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0,
}  # fmt: skip
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([a-zµ]*)")


def duration(text: str) -> float:
    """Seconds in a text such as ``250ms``, ``2s``, ``1.5h`` or ``3``."""
    match = _NUMBER.fullmatch(text.strip())
    if not match or match[2] not in {"", *UNITS}:
        raise ValueError(f"not a time: {text!r} (a number and one of {', '.join(UNITS)}, such as 250ms)")
    number, unit = float(match[1]), match[2]
    # 250 ms is 250/1000 and not 250*0.001: one rounding, that of the decimal fraction
    small = {"ns": 1e9, "us": 1e6, "µs": 1e6, "ms": 1e3}
    return number / small[unit] if unit in small else number * UNITS.get(unit, 1.0)


def _plain(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"not a number: {text!r}") from None


def _count(text: str) -> int:
    value = _plain(text)
    if not (math.isfinite(value) and value == int(value)):
        raise ValueError(f"not an integer: {text!r}")
    return int(value)


def _list(read: Callable[[str], float]) -> Callable[[str], tuple[float, ...]]:
    return lambda text: tuple(read(part) for part in text.split("/"))


@dataclass(frozen=True)
class _Form:
    """How the parameters of a law are read, in the order in which they may be given without names."""

    example: str
    parameters: dict[str, Callable[[str], object]]
    build: Callable[..., Law]


FORMS = {
    "deterministic": _Form("deterministic:250ms", {"value": duration}, Deterministic),
    "exponential": _Form("exponential:2s", {"mean": duration}, lambda mean: Exponential(mean=mean)),
    "uniform": _Form("uniform:1s,3s", {"low": duration, "high": duration}, Uniform),
    "gamma": _Form("gamma:shape=2,mean=0.5s", {"shape": _plain, "mean": duration}, lambda shape, mean: Gamma(shape=shape, mean=mean)),
    "erlang": _Form("erlang:stages=3,mean=2s", {"stages": _count, "mean": duration}, lambda stages, mean: Erlang(stages=stages, mean=mean)),
    "hyperexponential": _Form(
        "hyperexponential:probabilities=0.9/0.1,means=1s/10s",
        {"probabilities": _list(_plain), "means": _list(duration)},
        lambda probabilities, means: Hyperexponential(probabilities, tuple(1.0 / m if m else math.inf for m in means)),
    ),
    "twopoint": _Form(
        "twopoint:values=1s/10s,probabilities=0.9/0.1",
        {"values": _list(duration), "probabilities": _list(_plain)},
        TwoPoint,
    ),
    "lognormal": _Form("lognormal:sigma=1,mean=2s", {"sigma": _plain, "mean": duration}, lambda sigma, mean: Lognormal(sigma=sigma, mean=mean)),
    "pareto": _Form("pareto:shape=2.5,mean=1s", {"shape": _plain, "mean": duration}, lambda shape, mean: Pareto(shape=shape, mean=mean)),
    "empirical": _Form("empirical:1s/1.2s/0.9s", {"samples": _list(duration)}, Empirical),
}  # fmt: skip


def parse(text: str) -> Law:
    """The law that a text describes, with times in seconds.

    ``name:parameters`` with parameters by name (``gamma:shape=2,mean=0.5s``) or in order
    (``uniform:1s,3s``); lists are written with slashes. ``FORMS`` has an example of each.
    """
    name, _, rest = text.partition(":")
    form = FORMS.get(name.strip().lower())
    if form is None:
        raise ValueError(f"unknown law {name!r} in {text!r}; known: {', '.join(f.example for f in FORMS.values())}")
    try:
        return form.build(**_parameters(form, rest))
    except ValueError as error:
        raise ValueError(f"access time {text!r}: {error} (write for example {form.example})") from None


def _parameters(form: _Form, text: str) -> dict[str, object]:
    names = list(form.parameters)
    found: dict[str, object] = {}
    for place, part in enumerate(part for part in text.split(",") if part.strip()):
        key, equals, value = part.partition("=")
        if not equals:
            if place >= len(names):
                raise ValueError(f"too many parameters, {part.strip()!r} is the first of them")
            key, value = names[place], part
        key = key.strip()
        if key not in form.parameters:
            raise ValueError(f"unknown parameter {key!r}, takes {', '.join(names)}")
        if key in found:
            raise ValueError(f"{key} is given twice")
        found[key] = form.parameters[key](value)
    missing = [key for key in names if key not in found]
    if missing:
        raise ValueError(f"{missing[0]} is missing")
    return found
