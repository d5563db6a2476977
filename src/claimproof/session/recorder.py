"""What a derivation has recorded so far: checks by claim, and exports."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from claimproof.codegen.export import Export
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
    """Where in a derivation a check stands; a cell of a running notebook knows its number only."""

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
        path = Path(frame.f_code.co_filename)
        if path.suffix != ".py" or not path.is_file() or "ipykernel" in path.parts[-2]:
            return cls(None, None, None)
        above = path.read_text(encoding="utf-8").splitlines()[: frame.f_lineno]
        cells = sum(line.startswith("# %%") for line in above)
        return cls(f"{path.parent.name}/{path.name}", frame.f_lineno, cells or None)
