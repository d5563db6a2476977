"""Where the pieces of a project are: found upwards from the working folder, named in its pyproject.toml."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import tomllib
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any


class NotACheckout(RuntimeError):
    """Raised when no checkout of a project surrounds the working folder."""


class SettingsError(ValueError):
    """``[tool.claimproof]`` of a pyproject.toml has something that is not understood."""


@dataclass(frozen=True)
class Settings:
    """``[tool.claimproof]`` of the project's pyproject.toml; every field may be left out."""

    kernels: str | None = None  # package of the stable functions that formulas are written in
    formulas: str | None = None  # folder of the generated functions, from the root
    after_generation: tuple[str, ...] = ()  # folders of derivations about shipped code: run when formulas exist
    reference: tuple[str, ...] = ()  # packages whose public names the book documents
    command: str = "claimproof"  # what people type; named in messages

    @classmethod
    def read(cls, root: Path) -> Settings:
        try:
            table = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls()
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(f"pyproject.toml: not valid TOML: {error}") from None
        found = table.get("tool", {}).get("claimproof", {})
        values: dict[str, Any] = {}
        names = {field.name.replace("_", "-"): field for field in fields(cls)}
        for key, value in found.items():
            if key not in names:
                raise SettingsError(f"[tool.claimproof]: unknown field {key!r} (accepted: {', '.join(names)})")
            many = names[key].default == ()
            members = value if many and isinstance(value, list) else [value]
            if many != isinstance(value, list) or not all(isinstance(member, str) for member in members):
                wanted = "a list of strings" if many else "a string"
                raise SettingsError(f"[tool.claimproof]: {key} must be {wanted}, not {value!r}")
            values[names[key].name] = tuple(value) if many else value
        return cls(**values)


def _installed_records() -> list[Path]:
    """Inventories and ledgers that installed packages carry (entry points ``claimproof.record``)."""
    places = []
    for entry in sorted(importlib.metadata.entry_points(group="claimproof.record"), key=lambda entry: entry.name):
        found = importlib.util.find_spec(entry.value)
        for folder in (found.submodule_search_locations or ()) if found else ():
            if (Path(folder) / "record" / "derivations").is_dir():
                places.append(Path(folder) / "record")
    return places


@dataclass(frozen=True)
class Project:
    """A checkout of a project (or a small copy of one, in tests)."""

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> Project:
        """The checkout around ``start``: the nearest folder upwards that has ``derivations/``.

        Outside of one, what an installed package carries: enough to read claims and to run a notebook.
        ``CLAIMPROOF_ROOT`` names it from outside (``CRAWLPROOF_ROOT`` is its older name).
        """
        for variable in ("CLAIMPROOF_ROOT", "CRAWLPROOF_ROOT") if start is None else ():
            if named := os.environ.get(variable):
                if not (Path(named) / "derivations").is_dir():
                    raise NotACheckout(f"{variable} names {named}, which has no folder 'derivations'")
                return cls(Path(named).resolve())
        here = (start or Path.cwd()).resolve()
        for folder in (here, *here.parents):
            if (folder / "derivations").is_dir():
                return cls(folder)
        if installed := _installed_records():
            return cls(installed[0])
        raise NotACheckout(f"no folder 'derivations' in {here} or above it: run this inside a checkout")

    @cached_property
    def settings(self) -> Settings:
        return Settings.read(self.root)

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
        return self.root / (self.settings.formulas or "formulas")

    @property
    def formulas_package(self) -> str:
        """The dotted name under which generated functions are imported."""
        parts = Path(self.settings.formulas or "formulas").parts
        return ".".join(parts[1:] if parts[0] == "src" else parts)

    def scripts(self) -> list[Path]:
        """Every derivation, in the order of papers and sections; those about shipped code last."""
        found = sorted(self.derivations.glob("*/*.py"))
        return [s for s in found if not self.is_about_shipped_code(s)] + [
            s for s in found if self.is_about_shipped_code(s)
        ]

    def is_about_shipped_code(self, script: Path) -> bool:
        """Whether a derivation calls the generated functions, and so has to run after them."""
        return script.parent.name in self.settings.after_generation

    def relative(self, path: Path) -> str:
        return path.resolve().relative_to(self.root.resolve()).as_posix()

    def notebook_of(self, derivation: str) -> str:
        """The notebook that is built from a derivation, both relative to the root."""
        return derivation.replace("derivations/", "notebooks/", 1).removesuffix(".py") + ".ipynb"
