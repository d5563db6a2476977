"""Every kind of bad file gets one error with the row and the value; output is whole or absent."""

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from crawlproof.schedule import demo, files
from crawlproof.schedule.files import BadFile, Column

PAGES = (
    Column("url", "text", unique=True),
    Column("change_rate", "number", above_zero=True),
    Column("weight", "number", required=False),
    Column("host", "text", required=False),
)
GOOD = "url,change_rate,weight,host\na,0.5,1,h\nb,2e-3,0,h\n"


def written(directory: Path, text: str | bytes, name: str = "pages.csv") -> Path:
    path = directory / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(path: Path, columns=PAGES, mapping=None) -> str:
    with pytest.raises(BadFile) as caught:
        files.read_table(path, columns, mapping)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_csv_and_parquet_hold_the_same(tmp_path):
    table = files.read_table(written(tmp_path, GOOD), PAGES)
    assert table.column_names == ["url", "change_rate", "weight", "host"]
    assert table["change_rate"].to_pylist() == [0.5, 2e-3]
    for name in ("copy.parquet", "copy.csv"):
        files.write_table(table, tmp_path / name)
        assert files.read_table(tmp_path / name, PAGES).equals(table)


def test_optional_columns_may_be_absent_and_order_is_free(tmp_path):
    table = files.read_table(written(tmp_path, "change_rate,note,url\n1,x,a\n"), PAGES)
    assert table.column_names == ["url", "change_rate"]


def test_windows_line_ends_byte_order_mark_and_quotes(tmp_path):
    text = '\ufeffurl,change_rate\r\n"a,b",1\r\n"c ""d""",2\r\n'
    table = files.read_table(written(tmp_path, text), PAGES)
    assert table["url"].to_pylist() == ["a,b", 'c "d"']


def test_columns_by_another_name(tmp_path):
    path = written(tmp_path, "address,lambda\na,1\n")
    mapping = files.parse_mapping(["url=address", "change_rate=lambda"], ["url", "change_rate"])
    assert files.read_table(path, PAGES, mapping)["url"].to_pylist() == ["a"]
    assert "no column 'importance'" in refused(path, mapping={**mapping, "weight": "importance"})
    for wrong in ("url", "url=", "=x"):
        with pytest.raises(BadFile, match="name=actual"):
            files.parse_mapping([wrong], ["url"])
    with pytest.raises(BadFile, match="url is 'x' already"):
        files.parse_mapping(["url=x", "url=y"], ["url"])
    with pytest.raises(BadFile, match="no column 'link'"):
        files.parse_mapping(["link=x"], ["url"])


@pytest.mark.parametrize(("text", "parts"), [
    ("url,rate\na,1\n", ["no column 'change_rate'", "'url', 'rate'", "--column"]),
    ("url,change_rate\na,1\nb,nan\n", ["row 2", "change_rate is nan", "> 0"]),
    ("url,change_rate\na,1\nb,-0.25\nc,-1\n", ["row 2", "-0.25", "1 more row"]),
    ("url,change_rate\na,inf\n", ["row 1", "inf", "finite"]),
    ("url,change_rate\na,0\n", ["row 1", "0.0", "> 0"]),
    ("url,change_rate\na,1\nb,1e999\n", ["row 2", "inf"]),
    ("url,change_rate\na,1\nb,fast\nc,2\n", ["row 2", "'fast'"]),
    ("url,change_rate\na,1\nb,\n", ["row 2", "change_rate is missing"]),
    ("url,change_rate\na,1\n,2\n", ["row 2", "url is missing"]),
    ("url,change_rate,weight\na,1,1\nb,1,-2\n", ["row 2", "weight is -2.0", ">= 0"]),
    ("url,change_rate\na,1\nb,1\na,2\n", ["row 3", "'a'", "row 1"]),
    ("url,change_rate\na,1\nb,1,7\n", ["row 2", "3 columns", "2"]),
    ("url,change_rate,url\na,1,b\n", ["'url' occurs 2 times"]),
    ("url,change_rate\n", ["no rows"]),
    ("", ["empty"]),
    ("\n\n", ["can't be read"]),
    (b"url,change_rate\n\xff\xfe,1\n", ["can't be read", "UTF8"]),
])
def test_bad_csv(tmp_path, text, parts):
    message = refused(written(tmp_path, text))
    assert "pages.csv" in message
    for part in parts:
        assert part in message


def test_bad_places(tmp_path):
    assert "no such file" in refused(tmp_path / "none.csv")
    (tmp_path / "dir.csv").mkdir()
    assert "not a file" in refused(tmp_path / "dir.csv")
    assert "must end in .csv or .parquet" in refused(written(tmp_path, GOOD, "pages.txt"))
    assert "can't be read" in refused(written(tmp_path, "not parquet at all", "pages.parquet"))
    assert "can't be read" in refused(written(tmp_path, gzip.compress(GOOD.encode())))


@pytest.mark.parametrize(("column", "values", "parts"), [
    ("change_rate", [1.0, float("inf")], ["row 2", "inf"]),
    ("change_rate", [1.0, None], ["row 2", "missing"]),
    ("change_rate", ["1", "quick"], ["row 2", "'quick'"]),
    ("change_rate", [[1.0], [2.0]], ["change_rate holds list", "numbers"]),
    ("url", [1, 2], ["url holds int64", "text"]),
])
def test_bad_parquet(tmp_path, column, values, parts):
    data = {"url": ["a", "b"], "change_rate": [1.0, 2.0], column: values}
    pa.parquet.write_table(pa.table(data), tmp_path / "pages.parquet")
    message = refused(tmp_path / "pages.parquet")
    for part in parts:
        assert part in message


def test_parquet_of_other_number_types(tmp_path):
    data = {"url": pa.array(["a", "b"]).dictionary_encode(), "change_rate": pa.array([1, 2], pa.int8())}
    pa.parquet.write_table(pa.table(data), tmp_path / "pages.parquet")
    table = files.read_table(tmp_path / "pages.parquet", PAGES)
    assert table["change_rate"].to_pylist() == [1.0, 2.0]


def test_flags_and_indices(tmp_path):
    columns = (Column("changed", "flag"), Column("page", "index"))
    table = files.read_table(written(tmp_path, "changed,page\ntrue,0\n0,7\nFalse,1\n1,2\n"), columns)
    assert table["changed"].to_pylist() == [True, False, False, True]
    assert table["page"].to_pylist() == [0, 7, 1, 2]
    assert "row 2: changed is 'maybe'" in refused(written(tmp_path, "changed,page\n1,0\nmaybe,1\n"), columns)
    assert "row 1: page is 0.5" in refused(written(tmp_path, "changed,page\n1,0.5\n"), columns)


TIME = (Column("time", "time"),)


@pytest.mark.parametrize("texts", [
    ["0", "86400.5"],
    ["1970-01-01T00:00:00", "1970-01-02T00:00:00.5"],
    ["1970-01-01 00:00:00Z", "1970-01-02 01:00:00.5+01:00"],
])
def test_times_as_numbers_and_as_dates(tmp_path, texts):
    path = written(tmp_path, "time\n" + "\n".join(texts) + "\n")
    assert files.read_table(path, TIME)["time"].to_pylist() == [0.0, 86400.5]


def test_times_out_of_parquet(tmp_path):
    for kind, values in ((pa.timestamp("ns", tz="UTC"), [0, 86_400_500_000_000]), (pa.int64(), [0, 2])):
        pa.parquet.write_table(pa.table({"time": pa.array(values, kind)}), tmp_path / "log.parquet")
        expected = [0.0, 86400.5] if pa.types.is_timestamp(kind) else [0.0, 2.0]
        assert files.read_table(tmp_path / "log.parquet", TIME)["time"].to_pylist() == expected


@pytest.mark.parametrize(("texts", "why"), [
    (["2026-01-01T00:00:00", "yesterday"], "row 2: time is 'yesterday'"),
    (["2026-01-01T00:00:00", "2026-01-01T00:00:00Z"], "row 2: time is '2026-01-01T00:00:00Z': some times have a zone"),
    (["1", "inf"], "row 2: time is inf"),
])
def test_bad_times(tmp_path, texts, why):
    assert why in refused(written(tmp_path, "time\n" + "\n".join(texts) + "\n"), TIME)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = written(tmp_path, "old")

    def fail(place: Path) -> None:
        place.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(BadFile, match="No space left"):
        files.write_whole(path, fail)

    def interrupt(place: Path) -> None:
        place.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.write_whole(path, interrupt)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_batches_are_written_whole_or_not_at_all(tmp_path):
    schema = pa.schema({"page": pa.int64()})

    def good():
        for start in (0, 2):
            yield pa.table({"page": [start, start + 1]}, schema=schema)

    def broken():
        yield from good()
        raise RuntimeError("in the middle")

    for name in ("sequence.csv", "sequence.parquet"):
        with pytest.raises(RuntimeError):
            files.write_batches(schema, broken, tmp_path / name)
        assert list(tmp_path.iterdir()) == []
        files.write_batches(schema, good, tmp_path / name)
        table = files.read_table(tmp_path / name, (Column("page", "index"),))
        assert table["page"].to_pylist() == [0, 1, 2, 3]
        (tmp_path / name).unlink()


def test_places_are_refused_before_the_work(tmp_path):
    for path, why in ((tmp_path / "x.txt", "must end in"), (tmp_path / "no" / "x.csv", "no directory")):
        with pytest.raises(BadFile, match=why):
            files.check_output(path)
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(BadFile, match="is a directory"):
        files.check_output(tmp_path / "d.csv")


def test_shipped_demo_is_what_its_function_makes():
    shipped = files.read_table(demo.demo_path(), PAGES)
    assert shipped.equals(demo.make_demo())
    assert shipped.num_rows == demo.PAGES
    assert demo.demo_path().stat().st_size < 2_000_000


def test_demo_has_the_features_that_are_documented():
    pages = demo.make_demo()
    _, hosts = files.encode(pages["host"])
    assert 0.9 * demo.HOSTS < len(hosts) <= demo.HOSTS
    rate = pages["change_rate"].to_numpy()
    for name, _, median_time in demo.KINDS:
        of_kind = np.array([host.startswith(name) for host in pages["host"].to_pylist()])
        # Hosts differ among themselves, and the largest have a good share of all pages.
        assert 0.5 < np.median(rate[of_kind]) * median_time < 2
    weight = pages["weight"].to_numpy()
    assert weight.min() >= 1
    assert abs(np.corrcoef(np.log(weight), np.log(rate))[0, 1]) < 0.02
