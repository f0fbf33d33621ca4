"""What the author of a bug report claims: versions, steps, settings, suspects and more.

The plugin registry finds each `FINDER` in this package. A claim is the author's statement with its
location, and is never taken as a finding. Precision matters more than recall: an uncertain finder
returns nothing.
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

# longer text is a pasted log
_LONGEST = 1 << 18
# limit per kind
_MOST = 500
_QUOTE = 2_000
# a repeated step is two steps; other repeated claims are one
_REPEATED = "step"


class Said(NamedTuple):
    """A claim before its location in the raw file is known: `start` and `end` are character offsets."""

    kind: str
    value: str
    start: int
    end: int
    role: str = ""
    details: tuple[tuple[str, str], ...] = ()


class Finder(Protocol):
    """Finds one kind of claim."""

    kind: str

    def find(self, outline: Outline) -> Iterable[Said]: ...


def of(text: Placed, reports: Sequence[tuple[int, int]] = ()) -> list[Claim]:
    """The claims in a text in order; `report_bytes` are the byte ranges of detector reports in it."""
    raw = text.data[:_LONGEST]
    # invalid bytes are preserved, so that offsets can be converted back to bytes
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
    """The text on one line, without invalid bytes."""
    return " ".join(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").split())
