"""Laws as texts of the command line."""

from __future__ import annotations

import pytest

from crawlproof import laws
from crawlproof.laws.text import FORMS, UNITS, duration, parse


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("exponential:2s", laws.Exponential(mean=2.0)),
        ("exponential:mean=2", laws.Exponential(mean=2.0)),
        ("uniform:1s,3s", laws.Uniform(1.0, 3.0)),
        ("gamma:shape=2,mean=0.5s", laws.Gamma(shape=2.0, mean=0.5)),
        ("Gamma: mean = 0.5s , shape = 2", laws.Gamma(shape=2.0, mean=0.5)),
        ("deterministic:250ms", laws.Deterministic(0.25)),
        ("erlang:3,2min", laws.Erlang(stages=3, mean=120.0)),
        ("hyperexponential:probabilities=0.75/0.25,means=1s/4s", laws.Hyperexponential((0.75, 0.25), (1.0, 0.25))),
        ("twopoint:values=1s/10s,probabilities=0.5/0.5", laws.TwoPoint((1.0, 10.0), (0.5, 0.5))),
        ("lognormal:sigma=1,mean=2s", laws.Lognormal(sigma=1.0, mean=2.0)),
        ("pareto:shape=2.5,mean=1h", laws.Pareto(shape=2.5, mean=3600.0)),
    ],
)
def test_what_is_read(text: str, law: laws.Law) -> None:
    assert parse(text) == law


def test_each_example_is_read() -> None:
    for name, form in FORMS.items():
        assert type(parse(form.example)).__name__.lower() == name


def test_units() -> None:
    assert [duration(f"1{unit}") for unit in UNITS] == list(UNITS.values())
    assert duration("1e-3") == 0.001
    assert duration("300us") == 0.0003


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("poisson:2s", "unknown law 'poisson'"),
        ("", "unknown law ''"),
        ("exponential:2x", "access time 'exponential:2x': not a time: '2x'"),
        ("exponential:", "access time 'exponential:': mean is missing"),
        ("exponential:-1s", "access time 'exponential:-1s': Exponential: mean must be finite and > 0, got -1.0"),
        ("exponential:1s,2s", "access time 'exponential:1s,2s': too many parameters, '2s' is the first of them"),
        ("exponential:rate=2", "access time 'exponential:rate=2': unknown parameter 'rate', takes mean"),
        ("gamma:2,shape=3", "access time 'gamma:2,shape=3': shape is given twice"),
        ("gamma:shape=two,mean=1s", "access time 'gamma:shape=two,mean=1s': not a number: 'two'"),
        ("erlang:1.5,1s", "access time 'erlang:1.5,1s': not an integer: '1.5'"),
        ("uniform:3s,1s", "access time 'uniform:3s,1s': Uniform: low must be below high"),
        ("hyperexponential:1/0,0s/1s", "access time 'hyperexponential:1/0,0s/1s': Hyperexponential: rates[0] must be finite"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the message is compared below)
        parse(text)
    assert str(caught.value).startswith(message)
