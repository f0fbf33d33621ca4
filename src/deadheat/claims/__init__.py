"""What the author of a bug report says: one file per kind of claim; knows no file and no detector.

A module in this folder that has a `FINDER` is found by the registry. A claim is the author's word,
with its place; nothing here is ever taken as found. Precision goes before recall: a finder that is not
sure says nothing.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from deadheat import registry
from deadheat.claims.outline import Outline
from deadheat.model import Claim

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from deadheat.documents.placed import Placed

# a person writes less; what lies beyond is a log that somebody pasted
_LONGEST = 1 << 18
# of one kind; nobody reads more
_MOST = 500
_QUOTE = 2_000
# the same thing run twice is two steps; anything else said twice is one claim
_REPEATED = "step"


class Said(NamedTuple):
    """A claim before it has a place in the raw file: `start` and `end` are characters."""

    kind: str
    value: str
    start: int
    end: int
    role: str = ""
    details: tuple[tuple[str, str], ...] = ()


class Finder(Protocol):
    """Looks for one kind of claim."""

    kind: str

    def find(self, outline: Outline) -> Iterable[Said]: ...


def of(text: Placed, reports: Sequence[tuple[int, int]] = ()) -> list[Claim]:
    """The claims in a text, in its order; `reports` are the bytes of it that a detector printed."""
    raw = text.data[:_LONGEST]
    # bytes that are no text come through unharmed, so that places can be counted in bytes again
    decoded = raw.decode("utf-8", "surrogateescape")
    masks = [(_characters(raw, start), _characters(raw, end)) for start, end in reports]
    outline = Outline(decoded, masks)
    said = [s for finder in registry.finders() for s in islice(finder.find(outline), _MOST)]
    said.sort(key=lambda claim: (claim.start, claim.end, claim.kind))
    return [_claim(text, decoded, claim) for claim in _once(said)]


def _characters(raw: bytes, at: int) -> int:
    return len(raw[:at].decode("utf-8", "surrogateescape"))


def _once(said: list[Said]) -> list[Said]:
    seen: set[tuple[object, ...]] = set()
    kept = []
    for claim in said:
        mark = (claim.kind, claim.value, claim.role, claim.details)
        if claim.kind == _REPEATED or mark not in seen:
            seen.add(mark)
            kept.append(claim)
    return kept


def _claim(text: Placed, decoded: str, said: Said) -> Claim:
    end = min(said.end, said.start + _QUOTE)
    quote = decoded[said.start : end].encode("utf-8", "surrogateescape")
    at = len(decoded[: said.start].encode("utf-8", "surrogateescape"))
    return Claim(
        said.kind,
        _plain(said.value),
        quote.decode("utf-8", "replace"),
        text.span(at, at + len(quote)),
        said.role,
        tuple((name, _plain(value)) for name, value in said.details),
    )


def _plain(text: str) -> str:
    """Text that can be written anywhere: on one line, and without the bytes that were no text."""
    return " ".join(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").split())
