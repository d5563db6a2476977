"""Tables in and out: CSV or Parquet by the file's name, every value checked, output whole or not at all.

Rows are counted from 1, the header of a CSV file is not counted. What is wrong with a file is told by
:class:`BadFile` with the first offending row and its value.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from crawlproof import writing

Kind = Literal["text", "number", "flag", "index", "time"]
FORMATS = (".csv", ".parquet")
HTTP_DATE = "%a, %d %b %Y %H:%M:%S GMT"
HTTP_LIKE = "___, % GMT"
#: The median of a column of epochs from which on it is in nano-, micro- or milliseconds.
EPOCHS = ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3))


class BadFile(ValueError):
    """A file that can't be read, written or used, and why."""


@dataclass(frozen=True)
class Column:
    """What a column must hold.

    ``number`` is finite; ``index`` a whole number from 0; ``flag`` true or false; ``time`` a number or a date with
    time, which becomes seconds since 1970.
    """

    name: str
    kind: Kind
    required: bool = True
    above_zero: bool = False
    """Zero is refused as well."""
    unique: bool = False
    unit: float = 1.0
    """What a time is multiplied by when it is a plain number."""

    @property
    def accepted(self) -> str:
        if self.kind == "flag":
            return "true or false (1 or 0)"
        if self.kind == "index":
            return "whole numbers from 0"
        if self.kind == "text":
            return "text"
        if self.kind == "time":
            return "finite numbers, or dates with time such as 2026-01-31T12:00:00Z or Sat, 31 Jan 2026 12:00:00 GMT"
        return "finite numbers" + (" > 0" if self.above_zero else " >= 0")


def check_output(path: Path) -> Path:
    """Refuse a place where the output could not be written, before hours of work go into it."""
    if path.suffix.lower() not in FORMATS:
        raise BadFile(f"can't write {path}: its name must end in {' or '.join(FORMATS)}")
    check_place(path)
    return path


def check_place(path: Path) -> None:
    if path.is_dir():
        raise BadFile(f"can't write {path}: it is a directory")
    if not path.parent.is_dir():
        raise BadFile(f"can't write {path}: there is no directory {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise BadFile(f"can't write {path}: {path.parent} is not writable")


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file whole or not at all, and say in one line why it can't be."""
    check_place(path)
    try:
        writing.write_whole(path, write)
    except OSError as error:
        raise BadFile(f"can't write {path}: {error.strerror or error}") from None


def write_table(table: pa.Table, path: Path) -> None:
    """Write CSV or Parquet, as the name says."""
    check_output(path)
    if path.suffix.lower() == ".csv":
        write_whole(path, lambda place: pa.csv.write_csv(table, place))
    else:
        write_whole(path, lambda place: pa.parquet.write_table(table, place, compression="zstd"))


def write_batches(schema: pa.Schema, batches: Callable[[], object], path: Path) -> None:
    """Write tables one after the other as they come, so that the whole is never in memory."""
    check_output(path)

    def write(place: Path) -> None:
        if path.suffix.lower() == ".csv":
            writer = pa.csv.CSVWriter(place, schema)
        else:
            writer = pa.parquet.ParquetWriter(place, schema, compression="zstd")
        with writer:
            for batch in batches():
                writer.write_table(batch)

    write_whole(path, write)


def parse_mapping(assignments: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Turn ``name=actual`` of ``--column`` into {name: actual}."""
    mapping = {}
    for assignment in assignments:
        name, equals, actual = assignment.partition("=")
        if not (equals and name and actual):
            raise BadFile(f"--column {assignment!r}: write it as name=actual, with a name out of {', '.join(known)}")
        if name not in known:
            raise BadFile(f"--column {assignment!r}: there is no column {name!r}; there are {', '.join(known)}")
        if name in mapping:
            raise BadFile(f"--column {assignment!r}: {name} is {mapping[name]!r} already")
        mapping[name] = actual
    return mapping


def read_table(path: Path, columns: Sequence[Column], mapping: Mapping[str, str] | None = None) -> pa.Table:
    """Read the columns that are asked for, under our names, checked; the optional ones if they are there.

    ``mapping`` gives the name that a column has in the file where that differs from ours; an optional column that
    is named there must exist.
    """
    raw = read_raw(path, columns, mapping)
    known = {column.name: column for column in columns}
    return pa.table({name: checked(path, known[name], values) for name, values in raw.items()})


def read_raw(
    path: Path, columns: Sequence[Column], mapping: Mapping[str, str] | None = None
) -> dict[str, pa.ChunkedArray]:
    """The same columns as they stand in the file."""
    mapping = dict(mapping or {})
    if path.suffix.lower() not in FORMATS:
        raise BadFile(f"{path}: its name must end in {' or '.join(FORMATS)}")
    if not path.exists():
        raise BadFile(f"{path}: there is no such file")
    if not path.is_file():
        raise BadFile(f"{path}: not a file")
    if path.stat().st_size == 0:
        raise BadFile(f"{path}: the file is empty")
    names = _column_names(path)
    wanted = {}
    for column in columns:
        actual = mapping.get(column.name, column.name)
        if actual in names:
            if names.count(actual) > 1:
                raise BadFile(f"{path}: column {actual!r} occurs {names.count(actual)} times")
            wanted[column.name] = actual
        elif column.required or column.name in mapping:
            raise BadFile(
                f"{path}: there is no column {actual!r}; the file has {', '.join(map(repr, names))}"
                f" (name another one with --column {column.name}=...)"
            )
    columns = [column for column in columns if column.name in wanted]
    try:
        raw = _read_raw(path, {wanted[column.name]: column for column in columns})
    except OSError as error:
        raise BadFile(f"{path}: can't be read: {error.strerror or error}") from None
    if raw.num_rows == 0:
        raise BadFile(f"{path}: there are no rows")
    return {column.name: plain(raw[wanted[column.name]]) for column in columns}


def plain(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values themselves, where a file has numbers for them."""
    return values.cast(values.type.value_type) if pa.types.is_dictionary(values.type) else values


def encode(values: pa.ChunkedArray) -> tuple[np.ndarray, pa.Array]:
    """Number the different values in the order in which they first occur: each row's number, and the values."""
    encoded = in_one_piece(values).dictionary_encode()
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary


def in_one_piece(texts: pa.ChunkedArray) -> pa.Array:
    """One array, with offsets of 64 bits: ten million URLs may have more than 2 GB."""
    return texts.cast(pa.large_string()).combine_chunks()


def _column_names(path: Path) -> list[str]:
    try:
        if path.suffix.lower() == ".parquet":
            return pa.parquet.read_schema(path).names
        with pa.csv.open_csv(path, parse_options=pa.csv.ParseOptions(invalid_row_handler=lambda row: "skip")) as reader:
            return reader.schema.names
    except (pa.ArrowException, OSError) as error:
        raise BadFile(f"{path}: can't be read: {_first_line(error)}") from None


def _read_raw(path: Path, columns: Mapping[str, Column]) -> pa.Table:
    """The columns by their names in the file; numbers of a CSV file as float64, everything else as text."""
    if path.suffix.lower() == ".parquet":
        try:
            return pa.parquet.read_table(path, columns=list(columns))
        except pa.ArrowException as error:
            raise BadFile(f"{path}: can't be read: {_first_line(error)}") from None
    types = {name: pa.float64() if column.kind == "number" else pa.string() for name, column in columns.items()}
    try:
        return _read_csv(path, types)
    except pa.ArrowException as error:
        # Text never fails to convert: now either the row is malformed, or a number is found out in _numbers.
        broken = []

        def note(row: pa.csv.InvalidRow) -> str:
            broken.append(row)
            return "error"

        try:
            return _read_csv(path, dict.fromkeys(types, pa.string()), note)
        except pa.ArrowException:
            if broken:
                row = broken[0]
                where = f"row {row.number - 1}" if row.number else "a row"
                raise BadFile(
                    f"{path}, {where}: {row.actual_columns} columns where the header has {row.expected_columns}:"
                    f" {row.text[:80]!r}"
                ) from None
            raise BadFile(f"{path}: can't be read: {_first_line(error)}") from None


def _read_csv(path: Path, types: Mapping[str, pa.DataType], on_invalid_row: Callable | None = None) -> pa.Table:
    return pa.csv.read_csv(
        path,
        # Rows are numbered only when one thread reads.
        read_options=pa.csv.ReadOptions(use_threads=on_invalid_row is None),
        parse_options=pa.csv.ParseOptions(invalid_row_handler=on_invalid_row),
        convert_options=pa.csv.ConvertOptions(
            include_columns=list(types), column_types=types, null_values=[""], strings_can_be_null=True,
        ),
    )


def checked(path: Path, column: Column, values: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    if values.null_count:
        row = pc.index(values.is_null(), True).as_py()
        raise BadFile(f"{path}, row {row + 1}: {column.name} is missing{_more(values.null_count)}")
    if column.kind == "text":
        return _texts(path, column, values)
    if column.kind == "flag":
        return _flags(path, column, values)
    numbers = _times(path, column, values) if column.kind == "time" else _numbers(path, column, values)
    bad = ~np.isfinite(numbers)
    if column.kind != "time":
        bad |= numbers <= 0 if column.above_zero else numbers < 0
    if column.kind == "index":
        bad |= numbers != np.floor(numbers)
    if bad.any():
        row = int(np.argmax(bad))
        raise _bad_value(path, column, row, numbers[row].item(), int(bad.sum()))
    return pa.array(numbers.astype(np.int64) if column.kind == "index" else numbers)


def _texts(path: Path, column: Column, values: pa.ChunkedArray) -> pa.ChunkedArray:
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        raise BadFile(f"{path}: column {column.name} holds {values.type}, accepted is text")
    if column.unique:
        codes, different = encode(values)
        if len(different) < len(codes):
            first = np.full(len(different), -1, dtype=np.int64)
            rows = np.arange(len(codes))
            first[codes[::-1]] = rows[::-1]  # the last write wins: the first row of each value
            again = first[codes] != rows
            row = int(np.argmax(again))
            raise BadFile(
                f"{path}, row {row + 1}: {column.name} {different[codes[row]].as_py()!r} occurs before,"
                f" in row {first[codes[row]] + 1}{_more(int(again.sum()))}"
            )
    return values


def _flags(path: Path, column: Column, values: pa.ChunkedArray) -> pa.Array:
    if pa.types.is_boolean(values.type):
        return values
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        lower = pc.utf8_lower(values)
        yes = pc.is_in(lower, pa.array(["true", "1"]))
        no = pc.is_in(lower, pa.array(["false", "0"]))
    else:
        numbers = _numbers(path, column, values)
        yes, no = pa.array(numbers == 1), pa.array(numbers == 0)
    neither = pc.invert(pc.or_(yes, no))
    if (bad := pc.sum(neither).as_py()) > 0:
        row = pc.index(neither, True).as_py()
        raise _bad_value(path, column, row, values[row].as_py(), bad)
    return yes


def _numbers(path: Path, column: Column, values: pa.ChunkedArray) -> np.ndarray:
    kind = values.type
    if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return values.cast(pa.float64(), safe=False).to_numpy().astype(np.float64)
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise BadFile(f"{path}: column {column.name} holds {kind}, accepted are {column.accepted}")
    numbers = np.empty(len(values))
    for row, text in enumerate(values.to_pylist()):
        try:
            numbers[row] = float(text)
        except ValueError:
            raise _bad_value(path, column, row, text, 1) from None
    return numbers


def _times(path: Path, column: Column, values: pa.ChunkedArray) -> np.ndarray:
    """Seconds: numbers as they are, dates since 1970 (as UTC where they name no zone)."""
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        try:
            return _seconds(column, values.cast(pa.float64()).to_numpy())
        except pa.ArrowInvalid:
            values = _dates(path, column, values)
    if pa.types.is_temporal(values.type):
        return _since_1970(values)
    return _seconds(column, _numbers(path, column, values))


def _seconds(column: Column, numbers: np.ndarray) -> np.ndarray:
    """Numbers in the column's unit; seconds so large that they would lie beyond the year 5000 are finer units of an epoch."""
    middle = float(np.median(numbers)) if column.unit == 1.0 and len(numbers) else 0.0
    for least, unit in EPOCHS:
        if middle >= least:
            return numbers * unit
    return numbers * column.unit


def _since_1970(values: pa.ChunkedArray) -> np.ndarray:
    try:
        return values.cast(pa.timestamp("ns")).cast(pa.int64()).to_numpy() / 1e9
    except pa.ArrowInvalid:  # beyond the years of nanoseconds
        return values.cast(pa.timestamp("us"), safe=False).cast(pa.int64()).to_numpy() / 1e6


def _dates(path: Path, column: Column, values: pa.ChunkedArray) -> pa.ChunkedArray:
    # Arrow wants to know beforehand whether texts have a zone.
    for kind in (pa.timestamp("us"), pa.timestamp("us", tz="UTC"), pa.timestamp("ns"), pa.timestamp("ns", tz="UTC")):
        try:
            return values.cast(kind)
        except pa.ArrowInvalid:
            continue
    if pc.any(pc.match_like(values, HTTP_LIKE)).as_py():
        found = pc.strptime(values, format=HTTP_DATE, unit="s", error_is_null=True)
        if found.null_count:
            row = pc.index(found.is_null(), True).as_py()
            raise _bad_value(path, column, row, values[row].as_py(), found.null_count)
        return found
    seen = None
    for row, text in enumerate(values.to_pylist()):
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise _bad_value(path, column, row, text, 1) from None
        if seen is None:
            seen = moment.tzinfo is None
        elif seen != (moment.tzinfo is None):
            raise BadFile(f"{path}, row {row + 1}: {column.name} is {text!r}: some times have a zone, others have none")
    raise BadFile(f"{path}: column {column.name} mixes numbers and dates, or forms of dates; accepted are {column.accepted}")


def _bad_value(path: Path, column: Column, row: int, value: object, how_many: int) -> BadFile:
    return BadFile(
        f"{path}, row {row + 1}: {column.name} is {value!r}, accepted are {column.accepted}{_more(how_many)}"
    )


def _more(how_many: int) -> str:
    return f" (and so in {how_many - 1} more rows)" if how_many > 1 else ""


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
