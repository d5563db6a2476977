"""The float solver on the paper's examples, against exact costs of all threshold policies."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimproof.core.project import Project
from crawlproof.models.level_recursion import exact_costs
from crawlproof.models.printed_examples import Example, lumped
from crawlproof.models.printed_numbers import PrintedNumbers, as_printed, decimal
from crawlproof.queue import Bmap, Costs, PhaseType, ThresholdQueue

PRINTED = PrintedNumbers.load(Project.find(Path(__file__).parent).derivations / "adkns" / "printed.toml")
FIRST = Example.first(PRINTED.inputs["first"])
MODES = (1, 2, 3, 4)


def floats(rows):
    return [[float(as_printed(v, 18)) for v in row] for row in rows]


def float_queue(example: Example) -> ThresholdQueue:
    def law(start, matrix):
        return PhaseType(floats([start])[0], floats(matrix))

    return ThresholdQueue(
        arrivals=[Bmap([floats(d) for d in mode]) for mode in example.arrivals],
        service=law(*example.service), obsolescence=law(*example.obsolescence), capacity=example.capacity,
    )


@pytest.mark.parametrize(
    "example",
    [FIRST, FIRST.faster_service(decimal("0.1")), FIRST.faster_service(decimal("15")), FIRST.faster_obsolescence(decimal("200"))],
    ids=["Table 1", "slowest server of Table 3", "fastest server of Table 3", "fastest obsolescence of Table 4"],
)
def test_costs_of_all_threshold_policies(example):
    queue, costs = float_queue(example), Costs(**{name: float(value) for name, value in PRINTED.inputs["first"]["costs"].items()})
    exact = exact_costs(example.changed(obsolescence=lumped(example.obsolescence)), MODES)
    for policy, cost in exact.items():
        assert queue.solve(active=list(policy)).cost(costs) == pytest.approx(float(as_printed(cost, 16)), rel=1e-10)
