"""A report as one line of JSON with the columns of its table: written directly, and read by Arrow.

Takes a third of the time of a dict of dicts that Arrow takes apart. The line has marks in place of
addresses and numbers, as `masks` has them, so that equal reports have equal lines.
"""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring as _quoted
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from deadheat.identity.families import keys
from deadheat.lake import masks
from deadheat.lake.schema import REPORTS
from deadheat.wire import causes_of, rest_to_wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deadheat.lake.masks import Masking
    from deadheat.model import Access, Actor, Cause, Frame, Report, Sighting

    Plain = dict[str, Any]

# `"size": 99999999999999999999`, a number that no column holds and no detector means
_ENDLESS = re.compile(rb'(?<=": )\d{19,}(?=[,}])')
_NO_REST = '"location": null, "locks": [], "cycle": [], "facts": []'


class About(NamedTuple):
    """What a race takes from the report that tells it best."""

    title: str
    detector: str
    kind: str
    sites: list[str]
    cause: str | None
    keys: list[str]


# the columns that this is made of
ABOUT = ("title", "detector", "kind", "sites", "causes", "keys")


class Told(NamedTuple):
    """What a report says: the line, its digest, and the names that its marks stand for."""

    line: str
    digest: str
    names: list[str]
    actors: list[str]  # the marks of who raced
    about: About


def told(sighting: Sighting) -> Told:
    """What a sighting's report says, as the table has it."""
    report, verdict = sighting.report, sighting.verdict
    mask = masks.Masking()
    causes = causes_of(report)
    # in the order in which marks are counted
    accesses = ", ".join([_access(access, mask) for access in report.accesses])
    actors = ", ".join([_actor(actor, mask) for actor in report.actors])
    text = (
        f'"detector": {_quoted(report.detector)}, "kind": {_quoted(report.kind)}'
        f', "title": {_quoted(verdict.title)}, "fingerprint": "{verdict.fingerprint}"'
        f', "accesses": [{accesses}], "actors": [{actors}], {_rest(report, mask)}'
        f', "test": {_or_null(report.test)}'
        f', "causes": [{", ".join([_cause(cause) for cause in causes])}]'
        f', "damage": {_list(damage.value for damage in report.damage)}'
    )
    digest = masks.digest(f"{{{text}}}")
    sites = [_site(access.site) for access in report.accesses]
    found = _keys(report)
    line = f'{{"digest": "{digest}", {text}, "sites": {_list(sites)}, "keys": {_list(found)}}}'
    raced = [mask(access.actor) for access in report.accesses if access.actor]
    cause = causes[0].cause if causes else None
    about = About(verdict.title, report.detector, report.kind, sites, cause, found)
    return Told(line, digest, mask.names, raced, about if line.isascii() else writable(about))


def about(row: Plain) -> About:
    """The same from the row of a report."""
    cause = row["causes"][0]["cause"] if row["causes"] else None
    return About(row["title"], row["detector"], row["kind"], row["sites"], cause, row["keys"])


def writable(value: Any) -> Any:
    """The same without halves of characters, which JSON in a log may hold and no table can."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: writable(inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        inside = map(writable, value)
        return type(value)(*inside) if hasattr(value, "_fields") else tuple(inside)
    return [writable(inner) for inner in value] if isinstance(value, list) else value


def table(lines: Sequence[str]) -> pa.Table:
    """Lines as rows, in the order of their digests."""
    if not lines:
        return REPORTS.empty_table()
    # as in `writable`
    data = "\n".join(sorted(lines)).encode("utf-8", "replace")
    try:
        return _parsed(data)
    except pa.ArrowInvalid:
        return _parsed(_ENDLESS.sub(b"null", data))


def _parsed(data: bytes) -> pa.Table:
    from pyarrow import json as arrow

    return arrow.read_json(
        pa.BufferReader(data),
        arrow.ReadOptions(use_threads=False, block_size=len(data) + 1),
        arrow.ParseOptions(explicit_schema=REPORTS, unexpected_field_behavior="error"),
    )


def plain(line: str) -> Plain:
    """A line as the row that it becomes."""
    row: Plain = json.loads(line)
    return row


def _keys(report: Report) -> list[str]:
    return sorted(set(keys(report)))


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _or_null(text: str | None) -> str:
    return "null" if text is None else _quoted(text)


def _number(value: int | None) -> str:
    return "null" if value is None else str(value)


def _access(access: Access, mask: Masking) -> str:
    address = access.address and mask(access.address)
    actor = access.actor and mask(access.actor)
    site = "null"
    if (frame := access.site) is not None:
        site = (
            f'{{"function": {_quoted(frame.function)}, "package": {_quoted(frame.package)}'
            f', "file": {_quoted(frame.file)}, "line": {_number(frame.line)}}}'
        )
    return (
        f'{{"op": "{access.op.value}", "size": {_number(access.size)}'
        f', "address": {_or_null(address)}, "actor": {_quoted(actor)}'
        f', "locks": {_list([mask(lock) for lock in access.locks])}, "site": {site}'
        f', "stack": [{_stack(access.stack)}], "test": {_or_null(access.test or None)}}}'
    )


def _actor(actor: Actor, mask: Masking) -> str:
    return (
        f'{{"id": {_quoted(actor.id and mask(actor.id))}, "state": "{actor.state.value}"'
        f', "created_at": [{_stack(actor.created_at)}]}}'
    )


def _stack(stack: tuple[Frame, ...]) -> str:
    return ", ".join(
        [
            f'{{"function": {_quoted(function)}, "package": {_quoted(package)}'
            f', "file": {_quoted(file)}, "line": {"null" if line is None else line}'
            f', "origin": "{origin}", "stale": {"true" if stale else "false"}'
            f', "path": {_quoted(path)}, "inlined": {"true" if inlined else "false"}}}'
            for function, package, file, line, origin, path, stale, inlined in stack
        ]
    )


def _rest(report: Report, mask: Masking) -> str:
    """What Go's detector never tells."""
    if not (report.location or report.locks or report.cycle or report.facts):
        return _NO_REST
    rest = rest_to_wire(report)
    rest["facts"] = [{"name": name, "value": value} for name, value in rest["facts"].items()]
    for stack in _stacks(rest):
        for frame in stack:
            frame.setdefault("inlined", False)  # told in JSON only where it is true
    return json.dumps(masks.rest_with_names(rest, mask), ensure_ascii=False)[1:-1]


def _stacks(rest: Plain) -> Iterator[list[Plain]]:
    yield from (lock["created_at"] for lock in rest["locks"])
    for edge in rest["cycle"]:
        yield from (edge["stack"], edge["held_stack"])
    if rest["location"]:
        yield rest["location"]["stack"]


def _cause(cause: Cause) -> str:
    return (
        f'{{"cause": {_quoted(cause.cause)}, "confidence": {cause.confidence!r}'
        f', "evidence": {_list(cause.evidence)}}}'
    )


def _site(site: Frame | None) -> str:
    if site is None:
        return ""
    place = ":".join([str(part) for part in (site.file, site.line) if part])
    return " ".join(filter(None, (site.function, place)))
