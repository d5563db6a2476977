"""Here, and not in tests/, so that the cells of notebooks/ are guarded however pytest is called."""

from __future__ import annotations

import pytest

pytest_plugins = ["claimproof.pytest_plugin"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-binding", action="store_true", help="falsify the statement of every bound claim, not of a sample"
    )
