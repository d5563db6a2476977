"""Evidence that no machine weighs: facts about the print, and steps a person must read."""

from __future__ import annotations

from collections.abc import Collection

from claimproof.core.evidence import CheckFailed, Evidence, Kind

# A few words locate a place; more would be quoting the paper.
MAX_QUOTED_WORDS = 8


def textual(
    version: str, place: str, words: str, should_be: str | None = None, *, known: Collection[str]
) -> Evidence:
    """A fact about the print itself: which of the ``known`` versions, where, and the few words that show it."""
    if not (version.strip() and place.strip() and words.strip()):
        raise CheckFailed("textual evidence needs a version, a place and the words that stand there")
    if version not in known:
        raise CheckFailed(f"unknown version {version!r} of the paper (known: {', '.join(known)})")
    if len(words.split()) > MAX_QUOTED_WORDS:
        raise CheckFailed(f"textual evidence quotes {len(words.split())} words; at most {MAX_QUOTED_WORDS}")
    if should_be is not None and should_be.split() == words.split():
        raise CheckFailed(f"the corrected words equal the printed ones: {words!r}")
    data = {"version": version, "place": place, "words": words}
    if should_be is not None:
        data["should_be"] = should_be
    return Evidence(Kind.TEXTUAL, f"textual ({version}, {place})", data)


def argued(name: str, why: str) -> Evidence:
    """A named step that only a person can check, with the argument to read."""
    if not name.strip() or len(why.split()) < 5:
        raise CheckFailed(f"an argued step needs a name and its argument, got {name!r}: {why!r}")
    return Evidence(Kind.ARGUED, f"argued ({name})", {"name": name, "why": why})
