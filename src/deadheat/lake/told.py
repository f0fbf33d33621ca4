"""The row of a report as tuples.

Addresses and numbers are placeholders, so that equal reports have equal rows.
"""

from __future__ import annotations

from json import JSONEncoder
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deadheat.identity.families import keys
from deadheat.lake import masks
from deadheat.wire import causes_of, rest_to_wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.lake.masks import Masking
    from deadheat.model import Access, Actor, Frame, Report, Sighting

    Plain = dict[str, Any]
    # in column order; accesses, actors and causes are tuples too, frames are unchanged
    Row = tuple[Any, ...]

_text: Final = JSONEncoder(check_circular=False, separators=(",", ":")).encode
# the start of an escaped surrogate in JSON
_HALF: Final = "\\ud"
# separates texts; JSON text does not contain it
_END: Final = "\0"
# index of the stack in an access
_STACK: Final = 6
_NONE: tuple[tuple[Any, ...], ...] = ((),) * 8


class About(NamedTuple):
    """What a race takes from its best report."""

    title: str
    detector: str
    kind: str
    sites: list[str]
    cause: str | None
    confidence: float  # of the cause
    keys: list[str]


# the columns of `ReportDetails`
ABOUT: Final = ("title", "detector", "kind", "sites", "causes", "keys")


class Told(NamedTuple):
    """The row of a report, its digest, and the names of its placeholders."""

    row: Row
    digest: str
    names: list[str]
    actors: list[str]  # placeholders of the racing actors
    about: About
    odd: bool  # the text may contain lone surrogates


def told(sighting: Sighting) -> Told:
    """The row of the report of a sighting."""
    report, verdict = sighting.report, sighting.verdict
    mask = masks.Masking()
    # placeholders are counted in this order
    accesses = [_access(access, mask) for access in report.accesses]
    actors = [_actor(actor, mask) for actor in report.actors]
    first = (report.detector, report.kind, verdict.title, verdict.fingerprint)
    rest = _rest(report, mask)
    causes = [
        (cause.cause, cause.confidence, [mask.within(said) for said in cause.evidence])
        for cause in causes_of(report)
    ]
    last = (*rest, report.test, causes, report.damage)
    text, frames = _said(accesses, actors, (*first, *last))
    digest = masks.digest(f"{text}{_END}{frames}")
    sites = [_site(access.site) for access in report.accesses]
    found = sorted(set(keys(report)))
    raced = [mask(access.actor) for access in report.accesses if access.actor]
    cause, sure = causes[0][:2] if causes else (None, 0.0)
    about = About(verdict.title, report.detector, report.kind, sites, cause, sure, found)
    odd = _HALF in text or not frames.isascii()
    about = writable(about) if odd else about
    row = (digest, *first, accesses, actors, *last, sites, found)
    return Told(row, digest, mask.names, raced, about, odd)


def _said(accesses: list[Row], actors: list[Row], others: Row) -> tuple[str, str]:
    """The content of a report as two texts, which differ for different reports.

    Frames are joined without quoting, which is fast. If one of them contains the separator, all are
    encoded as JSON.
    """
    stacks = [*[access[_STACK] for access in accesses], *[actor[-1] for actor in actors]]
    frames = [frame for stack in stacks for frame in stack]
    functions, packages, files, lines, origins, paths, stale, inlined = (
        zip(*frames, strict=True) if frames else _NONE
    )
    joined = _END.join((*functions, *packages, *files, *origins, *paths))
    if joined.count(_END) != max(0, 5 * len(frames) - 1):
        joined = _text(frames)
    sides = [(*access[:_STACK], *access[_STACK + 1 :]) for access in accesses]
    known = [actor[:-1] for actor in actors]
    # numbers need no quoting, and few frames have a flag
    flags = (stale, inlined) if True in stale or True in inlined else ()
    return f"{_text((sides, known, others))}{[*map(len, stacks)]}{lines}{flags}", joined


def about(row: Plain) -> About:
    """The details from the row of a report."""
    first: Plain = row["causes"][0] if row["causes"] else {"cause": None, "confidence": 0.0}
    said = first["cause"], first["confidence"]
    return About(row["title"], row["detector"], row["kind"], row["sites"], *said, row["keys"])


def writable(value: Any) -> Any:
    """Replace lone surrogates, which JSON in a log may contain and Arrow cannot encode."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: writable(inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        inside = map(writable, value)
        return type(value)(*inside) if hasattr(value, "_fields") else tuple(inside)
    return [writable(inner) for inner in value] if isinstance(value, list) else value


def _access(access: Access, mask: Masking) -> Row:
    address = access.address and mask(access.address)
    actor = access.actor and mask(access.actor)
    locks = [mask(lock) for lock in access.locks]
    site = access.site
    place = None if site is None else site[:4]
    test = access.test or None
    return access.op, access.size, address, actor, locks, place, access.stack, test


def _actor(actor: Actor, mask: Masking) -> Row:
    return actor.id and mask(actor.id), actor.state, actor.created_at


def _rest(report: Report, mask: Masking) -> Row:
    """The columns that are empty for the Go detector: location, locks, cycle, facts."""
    if not (report.location or report.locks or report.cycle or report.facts):
        return None, (), (), ()
    rest = rest_to_wire(report)
    rest["facts"] = [{"name": name, "value": value} for name, value in rest["facts"].items()]
    for stack in _stacks(rest):
        for frame in stack:
            frame.setdefault("inlined", False)  # in JSON only if true
    return tuple(masks.rest_with_names(rest, mask).values())


def _stacks(rest: Plain) -> Iterator[list[Plain]]:
    yield from (lock["created_at"] for lock in rest["locks"])
    for edge in rest["cycle"]:
        yield from (edge["stack"], edge["held_stack"])
    if rest["location"]:
        yield rest["location"]["stack"]


def _site(site: Frame | None) -> str:
    if site is None:
        return ""
    place = ":".join([str(part) for part in (site.file, site.line) if part])
    return " ".join(filter(None, (site.function, place)))
