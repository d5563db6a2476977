"""The way of a formula from an export to three modules, and what must stop it."""

from __future__ import annotations

import importlib.util
import itertools
import json
from pathlib import Path

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx, fmpq

from claimproof.codegen import generator, measure
from claimproof.codegen.export import Export, make_export
from claimproof.core.evidence import CheckFailed
from claimproof.engines.ulps import error_in_ulps
from crawlproof.kernels.symbolic import KERNELS, chi, in_exponentials, phi1, relative_excess

d, mu, mean = sp.symbols("d mu EX", positive=True)
log_h = sp.Symbol("log_h", nonpositive=True)
VERIFIED = d * mean - (1 - sp.exp(d * log_h)) / mu
FORM = d * mean * (relative_excess(mean, -log_h, mu) * phi1(-d * log_h) + chi(-d * log_h))
ARGS = {"distance": d, "change_rate": mu, "mean_access_time": mean, "log_laplace": log_h}
DETAILS = {
    "claim_id": "CLW-L3.1",
    "place": "Lemma 3.1",
    "name": "expected_obsolescence",
    "verified": VERIFIED,
    "form": FORM,
    "args": ARGS,
    "domain": {
        "distance": ">= 1",
        "change_rate": "> 0",
        "mean_access_time": "> 0",
        "log_laplace": "<= 0",
    },
    "describe": dict.fromkeys(ARGS, "an argument"),
    "sample": {
        "distance": (1, 1e9),
        "load": (1e-300, 1e3),
        "mean_access_time": (1e-7, 1e7),
        "change_rate": "load/mean_access_time",
        "gap": (1e-17, 1),
        "log_laplace": "-load*(1 - gap)",
    },
    "rules": ("jensen",),
    "nonnegative": True,
}
HOLDS = {"CLW-L3.1": "holds"}


@pytest.fixture(scope="module")
def export() -> Export:
    return make_export(**DETAILS)


@pytest.fixture(scope="module")
def folder(export: Export, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("formulas")
    generator.generate([export], HOLDS, path)
    return path


def load(path: Path):
    spec = importlib.util.spec_from_file_location(f"generated_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.expected_obsolescence


@pytest.fixture(scope="module")
def function(folder: Path):
    return load(folder / "clw.py")


def test_export_survives_json(export: Export) -> None:
    assert Export.from_json(json.loads(json.dumps(export.to_json()))) == export


def test_in_memory_and_written_function_agree_to_the_bit(export: Export, folder: Path) -> None:
    points = measure.points(export, 50)
    for backend in generator.backends():
        memory = generator.in_memory(export, backend)
        written = load(folder / f"clw{backend.suffix}.py")
        for point in points:
            values = [arb(v) for v in point] if backend.suffix == "_arb" else point
            assert str(memory(*values)) == str(written(*values))


def test_within_four_ulps_from_rare_to_frequent_changes(function) -> None:
    loads = [1e-300, 1e-170, 1e-20, 1e-8, 1e-3, 0.4, 1.0, 30.0, 1e3]
    for load_, m, distance in itertools.product(loads, [1e-9, 0.3, 1e8], [1, 2.5, 17, 1e9]):
        rate = load_ / m
        for log_laplace in (-np.log1p(load_), -load_ * 0.999999, -load_ * 1e-9):
            with mpmath.workdps(1300):
                a, b, c, e = (mpmath.mpf(float(v)) for v in (distance, rate, m, log_laplace))
                exact = a * c + mpmath.expm1(a * e) / b
                if b * c + e < 0:  # rounding took the arguments across Jensen's inequality
                    assert function(distance, rate, m, log_laplace) >= 0
                    continue
                assert error_in_ulps(function(distance, rate, m, log_laplace), exact) <= 4


def test_three_backends_agree(folder: Path) -> None:
    args = (3, fmpq(1, 2), fmpq(2), fmpq(-9, 10))
    with ctx.workprec(150), mpmath.workprec(140):
        ball = load(folder / "clw_arb.py")(*args)
        value = load(folder / "clw_mpmath.py")(3, mpmath.mpf(1) / 2, 2, -mpmath.mpf(9) / 10)
        assert abs(ball - arb(mpmath.nstr(value, 42))) < arb(10) ** -38
    assert load(folder / "clw.py")(3, 0.5, 2, -0.9) == pytest.approx(float(value), rel=1e-15)


def test_scalars_arrays_and_keywords(function) -> None:
    assert isinstance(function(1, 1, 1, -0.5), float)
    result = function(np.arange(1, 4), 1.0, 1.0, np.array([[-0.5], [-0.2]]))
    assert result.shape == (2, 3)
    assert function(log_laplace=-0.5, distance=1, mean_access_time=1, change_rate=1) == result[0, 0]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((0.5, 1, 1, -0.5), "distance must be finite and >= 1, got 0.5"),
        ((1, -1, 1, -0.5), "change_rate must be finite and > 0, got -1.0"),
        ((1, 1, float("nan"), -0.5), "mean_access_time must be finite and > 0, got nan"),
        ((1, 1, float("inf"), -0.5), "mean_access_time must be finite and > 0, got inf"),
        ((1, 1, 1, 0.5), "log_laplace must be finite and <= 0, got 0.5"),
        (([1, 1], 1, 1, [-0.5, -1.5]), "Jensen.*log_laplace = -1.5"),
    ],
)
def test_bad_arguments_are_named(function, args, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(*args)


def test_jensen_missed_by_rounding_is_not_negative(function) -> None:
    beyond = -np.nextafter(1e-30, 1)
    assert function(1, 1e-30, 1.0, beyond) >= 0.0


def test_balls_refuse_floats(folder: Path) -> None:
    with pytest.raises(TypeError, match="change_rate must be an arb"):
        load(folder / "clw_arb.py")(1, 0.5, 1, -1)


def test_every_docstring_names_its_provenance(export: Export, function) -> None:
    for part in ("CLW-L3.1", "Lemma 3.1", export.fingerprint, sp.__version__, "cse", "<= 4 ulp", *ARGS):
        assert part in function.__doc__


def test_check_is_silent_on_what_was_generated(export: Export, folder: Path) -> None:
    assert generator.check([export], HOLDS, folder) == []


def test_a_hand_edit_is_named(export: Export, folder: Path, tmp_path: Path) -> None:
    for file in folder.glob("*.*"):
        (tmp_path / file.name).write_text(file.read_text())
    edited = tmp_path / "clw.py"
    edited.write_text(edited.read_text().replace("chi(x0) +", "chi(x0) -"))
    (tmp_path / "stray.py").write_text("")
    (tmp_path / "clw_arb.py").unlink()
    found = generator.check([export], HOLDS, tmp_path)
    assert found == [
        "stray.py: no export makes this file",
        "clw.py: expected_obsolescence differs from what its claim gives",
        "clw_arb.py: missing",
    ]


@pytest.mark.parametrize("verdict", ["false", "unchecked", "holds-if", "definition"])
def test_a_claim_that_does_not_stand_is_refused(export: Export, tmp_path: Path, verdict: str) -> None:
    with pytest.raises(generator.GenerationError, match=f"CLW-L3.1 is '{verdict}'"):
        generator.generate([export], {"CLW-L3.1": verdict}, tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_unstable_form_is_refused_with_its_worst_point(tmp_path: Path) -> None:
    naive = make_export(**DETAILS | {"form": VERIFIED, "nonnegative": False})
    with pytest.raises(generator.GenerationError, match=r"expected_obsolescence: .* ulp, stated 4.*distance ="):
        generator.generate([naive], HOLDS, tmp_path)


def test_a_wrong_form_is_refused() -> None:
    with pytest.raises(CheckFailed):
        make_export(**DETAILS | {"form": FORM + mu})


def test_a_float_is_refused() -> None:
    with pytest.raises(CheckFailed, match="Float"):
        make_export(**DETAILS | {"form": FORM * sp.Float(1.0), "verified": VERIFIED * sp.Float(1.0)})


def test_two_exports_of_one_name_are_refused(export: Export, tmp_path: Path) -> None:
    with pytest.raises(generator.GenerationError, match=r"exported by CLW-L3\.1 and by"):
        generator.generate([export, export], HOLDS, tmp_path)


def test_constants_broadcast(tmp_path: Path) -> None:
    x = sp.Symbol("x", positive=True)
    constant = make_export(
        claim_id="CLW-L3.1", place="here", name="third", verified=sp.Rational(1, 3), form=sp.Rational(1, 3),
        args={"point": x}, domain={"point": "> 0"}, describe={"point": "unused"}, sample={"point": (1, 2)}, ulps=1,
    )
    numbers, _, enclosures = generator.backends()
    assert list(generator.in_memory(constant, numbers)(np.ones(2))) == [1 / 3, 1 / 3]
    assert generator.in_memory(constant, enclosures)(1).contains(fmpq(1, 3))


def test_expm1_pass() -> None:
    x = sp.Symbol("x", positive=True)
    growth = make_export(
        claim_id="CLW-L3.1", place="here", name="growth", verified=sp.exp(x) - 1, form=sp.exp(x) - 1,
        args={"point": x}, domain={"point": "> 0"}, describe={"point": "x"}, sample={"point": (1e-300, 100)},
        passes=("expm1", "cse"),
    )
    assert generator.measured_error(growth).ulps <= 4


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k not in ("exp_moment", "age_at_price")])
def test_derivatives_are_those_of_the_definitions(kernel: str) -> None:
    symbols = sp.symbols("a b c", positive=True)[: next(iter(KERNELS[kernel].nargs))]
    value = KERNELS[kernel](*symbols)
    for s in symbols:
        difference = in_exponentials(value.diff(s)) - in_exponentials(value).diff(s)
        assert sp.simplify(difference) == 0


@pytest.mark.parametrize("kernel", ["psi", "phi1", "chi", "psi2", "price_at_age", "age_at_price"])
def test_evalf_is_that_of_the_definition(kernel: str) -> None:
    value = KERNELS[kernel](sp.Rational(1, 3))
    assert abs(value.evalf(50) - value.rewrite(sp.exp).evalf(50)) < sp.Float("1e-48")


# The form for browsers; tests/claimproof/book compares its numbers in one.


def test_a_script_for_browsers_is_written_with_its_provenance(export: Export, folder: Path) -> None:
    script = (folder / "clw.js").read_text(encoding="utf-8")
    assert f"Claim: {export.claim} ({export.place})." in script
    assert export.fingerprint in script
    assert "formulas.expected_obsolescence = kernels.checked(" in script
    assert "(distance, change_rate, mean_access_time, log_laplace) =>" in script


def test_a_hand_edit_of_the_script_is_named(export: Export, folder: Path, tmp_path: Path) -> None:
    for path in folder.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    script = tmp_path / "clw.js"
    script.write_text(script.read_text().replace("kernels.chi(x0) + ", "kernels.chi(x0) - "))
    assert generator.check([export], HOLDS, tmp_path) == ["clw.js: differs from what its claims give"]


def test_a_form_that_browsers_have_not_is_named(export: Export) -> None:
    from dataclasses import replace

    strange = replace(export, form=sp.srepr(sp.besselj(0, d) * mu * mean * log_h))
    with pytest.raises(generator.GenerationError, match="no JavaScript form for besselj"):
        generator._script_text("clw", [strange])
