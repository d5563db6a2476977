"""Models as TOML files.

A file has `capacity`, one `[[arrivals]]` table for each mode, `[service]`, `[obsolescence]` (or `obsolescence = "never"`),
and may have `robots` (how many are active in each mode, 1, 2, ... without it), `[costs]` and `[policy]`. Numbers are read as the decimals they are; text such as "1/3" is a fraction.

    [[arrivals]]          # one robot: D0, D1, ...; matrices that are left out are zero
    D0 = [[-10, 2], [0, -0.5]]
    D1 = [[0.05, 3], [0.29, 0.005]]
    D2 = [[0.05, 4.9], [0.2, 0.005]]

    [[arrivals]]          # two robots: twice as fast as mode 1
    like = 1
    speed = 2

    [[arrivals]]          # all robots stopped: D0 alone
    D0 = [[-1, 1], [2, -2]]

    [[arrivals]]          # three robots: batches by A, of size k with probability sizes[k - 1]
    D0 = [[-2, 1], [1, -2]]
    A = [[1, 0], [0, 1]]
    sizes = [0.5, 0.5]

    [service]             # and likewise [obsolescence]; speed multiplies all rates
    beta = [0.4, 0.6]
    S = [[-3, 1], [2, -3]]
    speed = 1
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from importlib import resources
from pathlib import Path
from typing import Any

from crawlproof.laws.phase_type import ModelError, PhaseType, exact_number, exact_square, exact_vector, shown
from crawlproof.queue.arrivals import Bmap
from crawlproof.queue.measures import Costs
from crawlproof.queue.model import ThresholdQueue


@dataclass(frozen=True)
class Model:
    """What a file describes; costs and policy (arguments of `solve`) only if it has them."""

    name: str
    title: str
    queue: ThresholdQueue
    costs: Costs | None
    policy: dict[str, Any] | None


def shipped() -> dict[str, str]:
    """The models that come with the package: text by name."""
    folder = resources.files("crawlproof.queue") / "models"
    return {item.name.removesuffix(".toml"): item.read_text("utf-8")
            for item in sorted(folder.iterdir(), key=lambda item: item.name) if item.name.endswith(".toml")}


def load(path: str, *, capacity: int | None = None, service_speed: Any = None, obsolescence_speed: Any = None) -> Model:
    """The model of a file, or of a shipped one by its name; options replace what the file says."""
    file = Path(path)
    if file.is_file():
        try:
            text = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"{path}: {error}") from None
    elif path in shipped():
        text = shipped()[path]
    else:
        raise ModelError(f"{path}: no such file, and no shipped model ({', '.join(shipped())})")
    try:
        content = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise ModelError(f"{path}: {error}") from None
    if capacity is not None:
        content["capacity"] = capacity
    for name, speed in (("service", service_speed), ("obsolescence", obsolescence_speed)):
        if speed is not None and isinstance(content.get(name), dict):
            content[name]["speed"] = speed
    try:
        return read(content, file.stem)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def read(content: Mapping[str, Any], name: str = "model") -> Model:
    """The model of a parsed file."""
    only(content, "the file", "title", "capacity", "robots", "arrivals", "service", "obsolescence", "costs",
         "policy")
    for needed in ("capacity", "arrivals", "service", "obsolescence"):
        if needed not in content:
            raise ModelError(f"{needed} is missing")
    if not isinstance(content["arrivals"], list) or not content["arrivals"]:
        raise ModelError("arrivals must be [[arrivals]] tables, one for each number of active robots")
    modes: list[Bmap] = []
    for number, table in enumerate(content["arrivals"], 1):
        modes.append(named(f"arrivals, mode {number}", lambda table=table: arrivals(table, modes)))
    service = named("service", lambda: law(content["service"]))
    never = content["obsolescence"] == "never"
    obsolescence = None if never else named("obsolescence", lambda: law(content["obsolescence"]))
    queue = ThresholdQueue(modes, service, obsolescence, content["capacity"], content.get("robots"))
    costs = named("costs", lambda: Costs(**only(content["costs"], "the table", *(item.name for item in fields(Costs))))
                  ) if "costs" in content else None
    policy = named("policy", lambda: dict(only(content["policy"], "the table", "active", "modes", "thresholds"))
                   ) if "policy" in content else None
    return Model(name, str(content.get("title", name)), queue, costs, policy)


def named(place: str, build: Any) -> Any:
    """Build something; an error says where in the file."""
    try:
        return build()
    except ModelError as error:
        raise ModelError(f"{place}: {error}") from None


def only(table: Any, what: str, *known: str) -> Mapping[str, Any]:
    if not isinstance(table, Mapping):
        raise ModelError(f"{table!r} is not a table")
    for key in table:
        if key not in known:
            raise ModelError(f"{what} has {key!r}, which means nothing here; it may have {', '.join(known)}")
    return table


def arrivals(table: Any, earlier: list[Bmap]) -> Bmap:
    if not isinstance(table, Mapping):
        raise ModelError(f"{table!r} is not a table")
    if "like" in table:
        only(table, "the table", "like", "speed")
        if table["like"] not in range(1, len(earlier) + 1):
            raise ModelError(f"like is {table['like']!r}; it must be the number of an earlier mode")
        return earlier[table["like"] - 1].scaled(table.get("speed", 1))
    if "A" in table or "sizes" in table:
        only(table, "the table", "D0", "A", "sizes")
        for needed in ("D0", "A", "sizes"):
            if needed not in table:
                raise ModelError(f"{needed} is missing")
        rates, sizes = exact_square(table["A"], "A"), exact_vector(table["sizes"], "sizes")
        return Bmap([table["D0"], *([[size * rate for rate in row] for row in rates] for size in sizes)])
    indices = {}
    for key in table:
        match = re.fullmatch(r"D(0|[1-9]\d*)", key)
        if match is None:
            raise ModelError(f"the table has {key!r}; it may have D0, D1, ..., or D0, A, sizes, or like, speed")
        indices[int(match[1])] = table[key]
    if 0 not in indices:
        raise ModelError("D0 is missing")
    size = len(exact_square(indices[0], "D0"))
    if max(indices) > 10_000:
        raise ModelError(f"D{max(indices)}: batches of more than 10000 pages are not supported")
    zero = [[0] * size for _ in range(size)]
    return Bmap([indices.get(k, zero) for k in range(max(1, *indices) + 1)])


def law(table: Any) -> PhaseType:
    only(table, "the table", "beta", "S", "speed")
    for needed in ("beta", "S"):
        if needed not in table:
            raise ModelError(f"{needed} is missing")
    found = PhaseType(table["beta"], table["S"])
    if "speed" in table:
        speed = exact_number(table["speed"], "speed")
        if speed <= 0:
            raise ModelError(f"speed is {shown(speed)}; it must be positive")
        found = found.scaled(speed)
    return found
