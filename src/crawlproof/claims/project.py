"""Where the pieces of a checkout are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


class NotACheckout(RuntimeError):
    """Raised when no checkout of the project surrounds the working folder."""


@dataclass(frozen=True)
class Project:
    """A checkout of the project (or a small copy of one, in tests)."""

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> Project:
        """The checkout around ``start``: the nearest folder upwards that has ``derivations/``."""
        named = os.environ.get("CRAWLPROOF_ROOT")
        if named and start is None:
            return cls(Path(named))
        here = (start or Path.cwd()).resolve()
        for folder in (here, *here.parents):
            if (folder / "derivations").is_dir():
                return cls(folder)
        raise NotACheckout(f"no folder 'derivations' in {here} or above it: run this inside a checkout")

    @property
    def derivations(self) -> Path:
        return self.root / "derivations"

    @property
    def notebooks(self) -> Path:
        return self.root / "notebooks"

    @property
    def ledger(self) -> Path:
        return self.root / "derivations" / "ledger.json"

    @property
    def cache(self) -> Path:
        return self.root / ".cache" / "derivations"

    @property
    def formulas(self) -> Path:
        return self.root / "src" / "crawlproof" / "formulas"

    def scripts(self) -> list[Path]:
        """Every derivation, in the order of papers and sections."""
        return sorted(self.derivations.glob("*/*.py"))

    def relative(self, path: Path) -> str:
        return path.resolve().relative_to(self.root.resolve()).as_posix()

    def notebook_of(self, derivation: str) -> str:
        """The notebook that is built from a derivation, both relative to the root."""
        return derivation.replace("derivations/", "notebooks/", 1).removesuffix(".py") + ".ipynb"
