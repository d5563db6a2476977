"""What rests on what, as data for the page that draws it."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from claimproof.core.ledger import Ledger

# CLW-T3.4g and CLW-T3.4g-corrected are steps of CLW-T3.4; ADKNS-L.down is one of ADKNS-L.
_STEP = re.compile(r"(?P<whole>.+\d)[a-z]+\d*|(?P<named>.+?)\.[A-Za-z][\w-]*")


def whole_of(claim: str, known: Collection[str]) -> str | None:
    """The claim whose proof or statement this one is a step of, if there is one."""
    match = _STEP.fullmatch(claim.removesuffix("-corrected"))
    whole = match and (match["whole"] or match["named"])
    return whole if whole in known else None


def graph_data(ledger: Ledger) -> list[dict[str, Any]]:
    """A node for each claim: verdict, place, what it rests on, and which claim it is a step of."""
    known = {claim["id"] for claim in ledger.claims}
    return [
        {
            "id": claim["id"],
            "paper": claim["paper"],
            "section": claim["section"],
            "place": re.sub(r"\$([^$]*)\$", r"\1", claim["place"]),
            "verdict": claim["verdict"],
            "full": claim["fully_verified"],
            "own": not claim["versions"],
            "restsOn": claim["rests_on"],
            "stepOf": whole_of(claim["id"], known),
        }
        for claim in ledger.claims
    ]
