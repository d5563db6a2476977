"""Crawl logs as they are: rows that say nothing are left out, and counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from crawlproof.schedule import files
from crawlproof.schedule.files import BadFile, Column

#: What stands in logs where there is nothing.
NOTHING = ("", "null", "none", "nan", "na", "n/a", "-", "unknown")


@dataclass(frozen=True)
class CrawlLog:
    """One row for each access that counts, and what was done to the log."""

    table: pa.Table
    #: what was left out or put together, by how many rows
    mended: Mapping[str, int]

    @property
    def report(self) -> str:
        """One line; empty if the log was clean."""
        return ", ".join(f"{count:,} {what}" for what, count in self.mended.items() if count)


def columns(seconds: float) -> tuple[Column, ...]:
    """What a log has; ``seconds`` is the unit of plain numbers for times."""
    return (
        Column("url", "text"), Column("changed", "flag"),
        Column("interval", "number", required=False, above_zero=True),
        Column("time", "time", required=False, unit=seconds),
        Column("last_modified", "time", required=False, unit=seconds),
        Column("host", "text", required=False), Column("section", "text", required=False),
        Column("weight", "number", required=False),
    )


def read_log(path: Path, mapping: Mapping[str, str], seconds: float, *, strict: bool) -> CrawlLog:
    """Read and clean; with ``strict`` whatever would be cleaned is an error that names its row."""
    known = columns(seconds)
    raw = files.read_raw(path, known, mapping)
    when = "interval" if "interval" in raw else "time"
    if when not in raw:
        raise BadFile(f"{path}: there is no column 'time' and no column 'interval'")
    if strict:
        return CrawlLog(files.read_table(path, known, mapping), {})
    table = pa.table({name: _without_nothing(values) for name, values in raw.items()})
    mended = {}
    for name in ("url", when):
        missing = pc.is_null(table[name])
        mended[f"rows without {name}"] = pc.sum(missing).as_py()
        table = table.filter(pc.invert(missing))
    if not table.num_rows:
        raise BadFile(f"{path}: no row has a url and {'an interval' if when == 'interval' else 'a time'}")
    checked = {column.name: _checked(path, column, table[column.name]) for column in known if column.name in raw}
    table = pa.table(checked)
    unknown = np.isnan(checked["changed"].to_numpy())
    if when == "time":
        table, mended["repeated rows"], first = _once(table)
        unknown = np.isnan(table["changed"].to_numpy()) & ~first
    mended["accesses that don't say whether the page had changed"] = int(unknown.sum())
    return CrawlLog(table, mended)


def _without_nothing(values: pa.ChunkedArray) -> pa.ChunkedArray:
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return values
    nothing = pc.is_in(pc.utf8_lower(pc.utf8_trim_whitespace(values)), pa.array(NOTHING, values.type))
    return pc.if_else(nothing, pa.scalar(None, values.type), values)


def _checked(path: Path, column: Column, values: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The values that are there, checked; nan or null for the others."""
    if not values.null_count:
        found = files.checked(path, column, values)
        return pc.cast(found, pa.float64()) if column.kind == "flag" else found
    there = pc.is_valid(values)
    if column.kind == "text":
        return values
    numbers = np.full(len(values), np.nan)
    if pc.any(there).as_py():
        found = files.checked(path, column, values.filter(there))
        numbers[there.to_numpy().astype(bool)] = pc.cast(found, pa.float64()).to_numpy(zero_copy_only=False)
    return pa.array(numbers)


def _once(table: pa.Table) -> tuple[pa.Table, int, NDArray[np.bool_]]:
    """One row for each url and time: changed if one of the rows says so; and which are a page's first access."""
    page, _ = files.encode(table["url"])
    time, changed = table["time"].to_numpy(), table["changed"].to_numpy()
    order = np.lexsort((time, page))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(page[order]) != 0) | (np.diff(time[order]) != 0)
    starts = np.flatnonzero(new)
    merged = np.fmax.reduceat(changed[order], starts)
    kept = order[starts]
    first = np.ones(len(kept), dtype=bool)
    first[1:] = np.diff(page[kept]) != 0
    table = table.take(pa.array(kept))
    return table.set_column(table.column_names.index("changed"), "changed", pa.array(merged)), len(order) - len(kept), first
