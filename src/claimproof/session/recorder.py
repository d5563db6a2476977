"""What a derivation has recorded so far: checks by claim, and exports."""

from __future__ import annotations

import linecache
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from claimproof.codegen.export import Export
from claimproof.core.project import DERIVATION_VARIABLE
from claimproof.core.verdict import Check, ClaimRecord

_PACKAGE = str(Path(__file__).resolve().parents[1])


@dataclass
class Recorder:
    """The records of one run; a paper has one, and papers of one derivation may share it."""

    records: dict[str, ClaimRecord] = field(default_factory=dict)
    exports: list[Export] = field(default_factory=list)

    def add(self, claim_id: str, check: Check) -> ClaimRecord:
        record = self.records.setdefault(claim_id, ClaimRecord(claim_id))
        record.checks.append(check)
        return record

    def to_json(self) -> dict[str, Any]:
        return {
            "claims": {key: [c.to_json() for c in r.checks] for key, r in sorted(self.records.items())},
            "exports": [export.to_json() for export in self.exports],
        }

    def merged(self, other: Recorder) -> Recorder:
        """Both, for a derivation that speaks of two papers."""
        both = Recorder({**self.records}, [*self.exports, *other.exports])
        for claim_id, record in other.records.items():
            for check in record.checks:
                both.add(claim_id, check)
        return both


@dataclass(frozen=True)
class Place:
    """Where in a derivation a check stands: the same whether it runs as a script or as the notebook built from it."""

    file: str | None
    line: int | None
    cell: int | None

    @classmethod
    def of_caller(cls) -> Place:
        """The first frame outside of this package."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
            frame = frame.f_back
        if frame is None:
            return cls(None, None, None)
        script, first_line = Path(frame.f_code.co_filename), 0
        if not script.is_file():
            # A cell of a kernel: its text stands in the derivation that the notebook was built from.
            script = Path(os.environ.get(DERIVATION_VARIABLE, ""))
            cell = "".join(linecache.getlines(frame.f_code.co_filename)).strip()
            before, found, _ = script.read_text(encoding="utf-8").partition(cell) if script.is_file() and cell else ("", "", "")
            if not found:
                return cls(None, None, None)
            first_line = before.count("\n")
        line = first_line + frame.f_lineno
        above = script.read_text(encoding="utf-8").splitlines()[:line]
        cells = sum(text.startswith("# %%") for text in above)
        return cls(f"{script.parent.name}/{script.name}", line, cells or None)
