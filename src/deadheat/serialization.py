"""Converts the model to JSON-compatible dicts and back."""

from __future__ import annotations

from typing import Any

from deadheat.model import (
    Access,
    Actor,
    ActorState,
    Cause,
    Claim,
    Damage,
    Document,
    Frame,
    Location,
    Lock,
    LockEdge,
    Op,
    Origin,
    Report,
    ReportSource,
    Sighting,
    Span,
    Verdict,
)

SCHEMA_VERSION = 1

JsonDict = dict[str, Any]


def sighting_to_wire(sighting: Sighting) -> JsonDict:
    """One line of `scan --format jsonl`."""
    report, verdict, span = sighting.report, sighting.verdict, sighting.span
    author = {} if sighting.document is None else bug_report_to_wire(sighting.document)
    return {
        "schema": SCHEMA_VERSION,
        "detector": report.detector,
        "kind": report.kind,
        "title": verdict.title,
        "fingerprint": verdict.fingerprint,
        "race": verdict.race,
        "accesses": [_access_to_wire(access) for access in report.accesses],
        "actors": [_actor_to_wire(actor) for actor in report.actors],
        **location_and_locks_to_wire(report),
        "test": report.test,
        "causes": [_cause_to_wire(cause) for cause in sighting.causes],
        "document": {"uri": sighting.uri, "offset": span.offset, "length": span.length, "lane": span.stream},
        "damage": [damage.value for damage in report.damage],
        **author,
    }


def bug_report_to_wire(document: Document) -> JsonDict:
    """The fields of a report line about the bug report that contains it."""
    record = document_to_wire(document)
    return {"bug_report": record, "claims": record.pop("claims")}


def document_to_wire(document: Document) -> JsonDict:
    """One element of `scan --format documents`."""
    return {
        "uri": document.uri,
        "shape": document.shape,
        "title": document.title,
        "id": document.id,
        "written": document.written,
        "thread": document.thread,
        "claims": [claim_to_wire(claim) for claim in document.claims],
    }


def claim_to_wire(claim: Claim) -> JsonDict:
    """A claim; `details` becomes an object in which a repeated key has a list."""
    details: JsonDict = {}
    for name, value in claim.details:
        details.setdefault(name, []).append(value)
    return {
        "kind": claim.kind,
        "role": claim.role,
        "value": claim.value,
        "details": {name: values[0] if len(values) == 1 else values for name, values in details.items()},
        "quote": claim.quote,
        "offset": claim.span.offset,
        "length": claim.span.length,
    }


def location_and_locks_to_wire(report: Report) -> JsonDict:
    """Location, locks, lock cycle and facts, which the Go detector never prints."""
    return {
        "location": report.location and _location_to_wire(report.location),
        "locks": [_lock_to_wire(lock) for lock in report.locks],
        "cycle": [_edge_to_wire(edge) for edge in report.cycle],
        "facts": dict(report.facts),
    }


def sighting_from_wire(record: Any) -> Sighting:
    """The inverse of `sighting_to_wire`; raises ValueError for another schema, and for what is no sighting.

    Diagnosing the sighting again gives the causes of the record, which has no offsets of instructions.
    """
    try:
        if (schema := record["schema"]) == SCHEMA_VERSION:
            return _sighting_from_wire(record)
    except (LookupError, TypeError, AttributeError, StopIteration) as error:
        raise ValueError(f"not a line of `scan --format jsonl`: {error!r}") from error
    raise ValueError(f"schema {schema}; this deadheat reads schema {SCHEMA_VERSION}")


def _sighting_from_wire(record: JsonDict) -> Sighting:
    document = record["document"]
    report = Report(
        detector=record["detector"],
        kind=record["kind"],
        accesses=tuple(map(_access_from_wire, record["accesses"])),
        actors=tuple(map(_actor_from_wire, record["actors"])),
        location=record["location"] and _location_from_wire(record["location"]),
        test=record["test"],
        damage=tuple(map(Damage, record["damage"])),
        locks=tuple(map(_lock_from_wire, record["locks"])),
        cycle=tuple(map(_edge_from_wire, record["cycle"])),
        facts=tuple(record["facts"].items()),
    )
    source, causes = ReportSource(report), tuple(map(_cause_from_wire, record["causes"]))
    if causes:
        source.derived.causes = causes
    return Sighting(
        source,
        Verdict(record["title"], record["fingerprint"], record["race"]),
        document["uri"],
        Span(document["offset"], document["length"], document["lane"]),
        _document_from_wire(record["bug_report"], record["claims"]) if "claims" in record else None,
        causes,
    )


def _document_from_wire(record: JsonDict, claims: list[JsonDict]) -> Document:
    return Document(**record, claims=tuple(map(_claim_from_wire, claims)))


def _claim_from_wire(record: JsonDict) -> Claim:
    details = [
        (name, value)
        for name, values in record["details"].items()
        for value in (values if isinstance(values, list) else [values])
    ]
    return Claim(
        record["kind"],
        record["value"],
        record["quote"],
        Span(record["offset"], record["length"]),
        record["role"],
        tuple(details),
    )


def _access_to_wire(access: Access) -> JsonDict:
    site = access.site
    return {
        "op": access.op.value,
        "size": access.size,
        "address": access.address,
        "actor": access.actor,
        "locks": list(access.locks),
        "site": site and {"function": site.function, "package": site.package, "file": site.file, "line": site.line},
        "stack": [frame_to_wire(frame) for frame in access.stack],
        **({"test": access.test} if access.test else {}),
    }


def _access_from_wire(record: JsonDict) -> Access:
    stack = tuple(map(_frame_from_wire, record["stack"]))
    return Access(
        op=Op(record["op"]),
        actor=record["actor"],
        stack=stack,
        address=record["address"],
        size=record["size"],
        locks=tuple(record["locks"]),
        site=_site_from_wire(record["site"], stack),
        test=record.get("test"),
    )


def _site_from_wire(record: JsonDict | None, stack: tuple[Frame, ...]) -> Frame | None:
    """The frame of the stack that the site names."""
    if record is None:
        return None
    wanted = (record["function"], record["package"], record["file"], record["line"])
    return next(frame for frame in stack if (frame.function, frame.package, frame.file, frame.line) == wanted)


def frame_to_wire(frame: Frame) -> JsonDict:
    return {
        "function": frame.function,
        "package": frame.package,
        "file": frame.file,
        "line": frame.line,
        "origin": frame.origin.value,
        "stale": frame.stale,
        "path": frame.path,
        **({"inlined": True} if frame.inlined else {}),
    }


def _frame_from_wire(record: JsonDict) -> Frame:
    return Frame(
        function=record["function"],
        package=record["package"],
        file=record["file"],
        line=record["line"],
        origin=Origin(record["origin"]),
        path=record["path"],
        stale=record["stale"],
        inlined=record.get("inlined", False),
    )


def _stack_to_wire(stack: tuple[Frame, ...]) -> list[JsonDict]:
    return [frame_to_wire(frame) for frame in stack]


def _stack_from_wire(record: list[JsonDict]) -> tuple[Frame, ...]:
    return tuple(map(_frame_from_wire, record))


def _location_to_wire(location: Location) -> JsonDict:
    return {
        "kind": location.kind,
        "name": location.name,
        "address": location.address,
        "size": location.size,
        "offset": location.offset,
        "actor": location.actor,
        "file": location.file,
        "line": location.line,
        "stack": _stack_to_wire(location.stack),
    }


def _location_from_wire(record: JsonDict) -> Location:
    return Location(**{**record, "stack": _stack_from_wire(record["stack"])})


def _lock_to_wire(lock: Lock) -> JsonDict:
    return {"id": lock.id, "address": lock.address, "created_at": _stack_to_wire(lock.created_at)}


def _lock_from_wire(record: JsonDict) -> Lock:
    return Lock(record["id"], record["address"], _stack_from_wire(record["created_at"]))


def _edge_to_wire(edge: LockEdge) -> JsonDict:
    return {
        "held": edge.held,
        "acquired": edge.acquired,
        "actor": edge.actor,
        "stack": _stack_to_wire(edge.stack),
        "held_stack": _stack_to_wire(edge.held_stack),
    }


def _edge_from_wire(record: JsonDict) -> LockEdge:
    stacks = (_stack_from_wire(record[key]) for key in ("stack", "held_stack"))
    return LockEdge(record["held"], record["acquired"], record["actor"], *stacks)


def _actor_to_wire(actor: Actor) -> JsonDict:
    return {
        "id": actor.id,
        "state": actor.state.value,
        "created_at": [frame_to_wire(frame) for frame in actor.created_at],
    }


def _actor_from_wire(record: JsonDict) -> Actor:
    return Actor(record["id"], ActorState(record["state"]), tuple(map(_frame_from_wire, record["created_at"])))


def _cause_from_wire(record: JsonDict) -> Cause:
    return Cause(record["cause"], record["confidence"], tuple(record["evidence"]))


def _cause_to_wire(cause: Cause) -> JsonDict:
    return {"cause": cause.cause, "confidence": cause.confidence, "evidence": list(cause.evidence)}
