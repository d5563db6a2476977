"""What a run depended on: the modules it imported, the files it read, the versions of its libraries.

The next run may take its result only while all of them are the same. Contents count, never dates.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimproof.core.project import Project

# Files that come and go without changing what a derivation says.
_PASSING = {".cache", ".git", ".venv", "__pycache__"}


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "missing"


def _inventories(project: Project) -> list[str]:
    """A new paper or a new symbol table changes what a derivation may refer to, though it never read it."""
    return sorted(project.relative(path) for path in project.derivations.glob("*/*.toml"))


@dataclass(frozen=True)
class Inputs:
    """Digests of files, versions of installed libraries, the inventories that there were."""

    files: Mapping[str, str]
    versions: Mapping[str, str]
    inventories: tuple[str, ...]

    @classmethod
    def of_this_process(cls, script: Path, opened: Iterable[str]) -> Inputs:
        project = Project.find()
        installed = importlib.metadata.packages_distributions()
        versions = {"python": sys.version}
        # What a kernel is started with (its connection file, its scratch folder) is gone after the run.
        scratch = os.environ.get("IPYTHONDIR")
        places = {script, *(Path(name) for name in opened if name not in sys.argv and not (scratch and name.startswith(scratch)))}
        for name, module in list(sys.modules.items()):
            source = getattr(module, "__file__", None)
            for distribution in installed.get(name.partition(".")[0], ()):
                versions[distribution] = importlib.metadata.version(distribution)
            if source:
                places.add(Path(source))
        files = {}
        for place in places:
            path = place.resolve()
            library = "site-packages" in path.parts or path.is_relative_to(os.path.realpath(sys.base_prefix))
            if path.is_file() and not library and not _PASSING & set(path.parts) and path.suffix != ".pyc":
                ours = path.is_relative_to(project.root.resolve())
                files[project.relative(path) if ours else str(path)] = _digest(path)
        # Files of the system (/proc, fonts) say nothing about a claim.
        files = {name: digest for name, digest in files.items() if not name.startswith(("/proc", "/sys", "/etc", "/usr"))}
        return cls(dict(sorted(files.items())), dict(sorted(versions.items())), tuple(_inventories(project)))

    def unchanged(self, project: Project) -> bool:
        """Whether all of it is still as it was."""
        if tuple(_inventories(project)) != self.inventories or self.versions.get("python") != sys.version:
            return False
        for distribution, version in self.versions.items():
            if distribution != "python":
                try:
                    if importlib.metadata.version(distribution) != version:
                        return False
                except importlib.metadata.PackageNotFoundError:
                    return False
        return all(_digest(project.root / name) == digest for name, digest in self.files.items())

    def to_json(self) -> dict[str, Any]:
        return {"files": dict(self.files), "versions": dict(self.versions), "inventories": list(self.inventories)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Inputs:
        return cls(data["files"], data["versions"], tuple(data["inventories"]))
