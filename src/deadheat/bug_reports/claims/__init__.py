"""What the author of a bug report claims: versions, steps, settings, suspects and more.

The plugin registry finds each `FINDER` in this package. A claim is the author's statement with its location, and is
never taken as a finding. Precision matters more than recall: an uncertain finder returns nothing.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from deadheat import plugins
from deadheat.bug_reports.claims.outline import BugReportOutline
from deadheat.model import Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deadheat.bug_reports import OffsetText

# longer text is a pasted log
_MAX_TEXT_SIZE = 1 << 18
# limit per kind
_MAX_CLAIMS_PER_KIND = 500
_MAX_QUOTE_LENGTH = 2_000
# a repeated step is two steps; other repeated claims are one
_REPEATABLE_KIND = "step"


class ClaimMatch(NamedTuple):
    """A claim before its location in the raw file is known: `start` and `end` are character offsets."""

    value: str
    start: int
    end: int
    role: str = ""
    details: tuple[tuple[str, str], ...] = ()


class ClaimFinder(NamedTuple):
    """Finds one kind of claim."""

    kind: str
    find: Callable[[BugReportOutline], Iterator[ClaimMatch]]


def find_claims(text: OffsetText, report_bytes: Sequence[tuple[int, int]] = ()) -> list[Claim]:
    """The claims in a text in order; `report_bytes` are the byte ranges of detector reports in it."""
    raw = text.data[:_MAX_TEXT_SIZE]
    # invalid bytes are preserved, so that offsets can be converted back to bytes
    decoded = raw.decode("utf-8", "surrogateescape")
    offsets = _character_offsets(raw, {offset for report_range in report_bytes for offset in report_range})
    outline = BugReportOutline(decoded, [(offsets[start], offsets[end]) for start, end in report_bytes])
    found: list[tuple[str, ClaimMatch]] = []
    for finder in plugins.claim_finders():
        found += ((finder.kind, match) for match in islice(finder.find(outline), _MAX_CLAIMS_PER_KIND))
    found.sort(key=lambda claim: (claim[1].start, claim[1].end, claim[0]))
    known: set[tuple[object, ...]] = set()
    claims = []
    position = byte_offset = 0
    for kind, match in found:
        claim_key = (kind, match.value, match.role, match.details)
        if kind == _REPEATABLE_KIND or claim_key not in known:
            known.add(claim_key)
            byte_offset += len(decoded[position : match.start].encode("utf-8", "surrogateescape"))
            position = match.start
            claims.append(_make_claim(text, decoded, kind, match, byte_offset))
    return claims


def _character_offsets(raw: bytes, offsets: set[int]) -> dict[int, int]:
    """The character offset of each byte offset."""
    decoder = getincrementaldecoder("utf-8")("surrogateescape")
    characters = position = 0
    found = {}
    for offset in sorted(offsets):
        characters += len(decoder.decode(raw[position:offset]))
        position = offset
        found[offset] = characters + len(decoder.getstate()[0])  # the bytes of a character that is cut count each
    return found


def _make_claim(text: OffsetText, decoded: str, kind: str, match: ClaimMatch, byte_offset: int) -> Claim:
    end = min(match.end, match.start + _MAX_QUOTE_LENGTH)
    quote = decoded[match.start : end].encode("utf-8", "surrogateescape")
    return Claim(
        kind,
        _clean_text(match.value),
        quote.decode("utf-8", "replace"),
        text.raw_span(byte_offset, byte_offset + len(quote)),
        match.role,
        tuple((name, _clean_text(value)) for name, value in match.details),
    )


def _clean_text(text: str) -> str:
    """The text on one line, without invalid bytes."""
    return " ".join(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").split())
