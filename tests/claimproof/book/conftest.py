"""Tests that need a browser are skipped, with one line, where there is none."""

from __future__ import annotations

import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def find_browser() -> str | None:
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    # Here and not in a fixture: pytest folds skips that are raised at one place into one line of its summary.
    if "browser" in getattr(item, "fixturenames", ()) and find_browser() is None:
        pytest.skip(f"no browser here ({', '.join(BROWSERS)}): the site was not opened in one")


@pytest.fixture(scope="session")
def browser_path() -> str:
    found = find_browser()
    assert found is not None
    return found
