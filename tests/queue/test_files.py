"""Model files: what is shipped, what is read, what is refused."""

from __future__ import annotations

import pytest

from crawlproof.queue import ModelError, files

SMALL = """
capacity = 2
[[arrivals]]
D0 = [[-1]]
D1 = [[1]]
[[arrivals]]
like = 1
speed = 2.5
[[arrivals]]
D0 = [[-3]]
A = [[3]]
sizes = ["1/3", 0, "2/3"]
[service]
beta = [1]
S = [[-2]]
[obsolescence]
beta = [1]
S = [[-1]]
speed = 0.1
"""


def write(tmp_path, text):
    path = tmp_path / "model.toml"
    path.write_text(text, "utf-8")
    return str(path)


@pytest.mark.parametrize("name", ["section7", "service-variation", "obsolescence-variation", "crawler"])
def test_shipped_models_load_and_their_policies_solve(name):
    model = files.load(name)
    assert model.queue.modes == 4
    assert model.queue.solve(**model.policy).cost(model.costs) > 0


def test_the_studies_of_variation_keep_the_means():
    first = files.load("section7").queue
    assert files.load("service-variation").queue.service.mean == pytest.approx(first.service.mean, rel=1e-15)
    assert files.load("obsolescence-variation").queue.obsolescence.mean == first.obsolescence.mean


def test_forms_of_arrivals(tmp_path):
    model = files.load(write(tmp_path, SMALL))
    assert [bmap.rate for bmap in model.queue.arrivals] == pytest.approx([1, 2.5, 7], rel=1e-15)
    assert model.queue.obsolescence.mean == 10
    assert (model.name, model.costs, model.policy) == ("model", None, None)


def test_options_replace_what_the_file_says(tmp_path):
    path = write(tmp_path, SMALL)
    queue = files.load(path, capacity=7, service_speed="0.5", obsolescence_speed=2).queue
    assert (queue.capacity, queue.service.mean, queue.obsolescence.mean) == (7, 1, 0.5)


@pytest.mark.parametrize(("old", "new", "message"), [
    ("capacity = 2\n", "", "capacity is missing"),
    ("capacity = 2", "capacity = 0", "capacity is 0"),
    ("capacity = 2", 'capacity = "2"', "capacity is '2'; it must be a whole number"),
    ("capacity = 2", "capacity = ", "Invalid value"),
    ("capacity = 2", "capacity = 2\nspeed = 3", "the file has 'speed', which means nothing here"),
    ("D1 = [[1]]", "D1 = [[-1]]", "arrivals, mode 1: D1, row 1, column 1 is -1"),
    ("D0 = [[-1]]\n", "", "arrivals, mode 1: D0 is missing"),
    ("D1 = [[1]]", "D01 = [[1]]", "arrivals, mode 1: the table has 'D01'"),
    ("like = 1", "like = 2", "arrivals, mode 2: like is 2; it must be the number of an earlier mode"),
    ("speed = 2.5", "speed = 0", "arrivals, mode 2: speed is 0; it must be positive"),
    ('sizes = ["1/3", 0, "2/3"]', "sizes = [0.5]", r"arrivals, mode 3: D\(1\) = D0 \+ ... \+ D1, row 1 sums to -1.5"),
    ('sizes = ["1/3", 0, "2/3"]', "", "arrivals, mode 3: sizes is missing"),
    ("S = [[-2]]", "S = [[2]]", "service: S, row 1, column 1 is 2"),
    ("S = [[-2]]", "", "service: S is missing"),
    ("S = [[-1]]", "S = [[nan]]", r"obsolescence: S, row 1, column 1 is Decimal\('NaN'\)"),
    ("[service]", "[costs]\nlosses = 3\n[service]", "costs: the table has 'losses'"),
    ("[service]", "[costs]\nloss = -3\n[service]", "costs: the cost of loss is -3"),
    ("[service]", "[policy]\nmode = 3\n[service]", "policy: the table has 'mode'"),
])
def test_what_is_no_model(tmp_path, old, new, message):
    assert old in SMALL
    path = write(tmp_path, SMALL.replace(old, new, 1))
    with pytest.raises(ModelError, match=message) as error:
        files.load(path)
    assert str(error.value).startswith(path)


def test_a_missing_file_names_what_there_is():
    with pytest.raises(ModelError, match=r"nowhere.toml: no such file, and no shipped model \(crawler, "):
        files.load("nowhere.toml")
