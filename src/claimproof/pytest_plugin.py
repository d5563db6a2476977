"""The notebook guard for any project: ``claimproof_notebooks = true`` among pytest's ini lines switches it on.

Installed with the package (entry point ``pytest11``), so it loads in every test run of whoever has claimproof:
nothing heavy is imported until it is asked for.
"""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("claimproof_notebooks", "guard the notebooks that nbval runs, and keep what they record", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    if config.getini("claimproof_notebooks"):
        from claimproof.run import notebook_guard

        config.pluginmanager.register(notebook_guard, "claimproof-notebooks")
