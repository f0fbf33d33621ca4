"""Converts the model to JSON-compatible dicts and back."""

from __future__ import annotations

from typing import Any

from deadheat.model import (
    Access,
    Actor,
    Cause,
    Claim,
    Damage,
    Document,
    Edge,
    Frame,
    Location,
    Lock,
    Op,
    Origin,
    Report,
    Sighting,
    Span,
    State,
    Verdict,
)

SCHEMA_VERSION = 1

Plain = dict[str, Any]


def sighting_to_wire(sighting: Sighting) -> Plain:
    """One line of `scan --format jsonl`."""
    report, verdict, span = sighting.report, sighting.verdict, sighting.span
    author = {} if sighting.document is None else author_to_wire(sighting.document)
    return {
        "schema": SCHEMA_VERSION,
        "detector": report.detector,
        "kind": report.kind,
        "title": verdict.title,
        "fingerprint": verdict.fingerprint,
        "race": verdict.race,
        "accesses": [_access_to_wire(access) for access in report.accesses],
        "actors": [_actor_to_wire(actor) for actor in report.actors],
        **rest_to_wire(report),
        "test": report.test,
        "causes": [_cause_to_wire(cause) for cause in causes_of(report)],
        "document": {
            "uri": sighting.uri,
            "offset": span.offset,
            "length": span.length,
            "lane": span.lane,
        },
        "damage": [damage.value for damage in report.damage],
        **author,
    }


def causes_of(report: Report) -> tuple[Cause, ...]:
    """Runs the diagnosis on a report; the result is written but never read back."""
    from deadheat.diagnose import causes  # slow to import

    return causes(report)


def author_to_wire(document: Document) -> Plain:
    """The fields of a report line about the bug report that contains it."""
    plain = document_to_wire(document)
    return {"bug_report": plain, "claims": plain.pop("claims")}


def document_to_wire(document: Document) -> Plain:
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


def claim_to_wire(claim: Claim) -> Plain:
    """A claim; `details` becomes an object in which a repeated key has a list."""
    details: Plain = {}
    for name, value in claim.details:
        details.setdefault(name, []).append(value)
    return {
        "kind": claim.kind,
        "role": claim.role,
        "value": claim.value,
        "details": {name: v[0] if len(v) == 1 else v for name, v in details.items()},
        "quote": claim.quote,
        "offset": claim.span.offset,
        "length": claim.span.length,
    }


def rest_to_wire(report: Report) -> Plain:
    """Location, locks, lock cycle and facts, which the Go detector never prints."""
    return {
        "location": report.location and _location_to_wire(report.location),
        "locks": [_lock_to_wire(lock) for lock in report.locks],
        "cycle": [_edge_to_wire(edge) for edge in report.cycle],
        "facts": dict(report.facts),
    }


def sighting_from_wire(plain: Plain) -> Sighting:
    """The inverse of `sighting_to_wire`; raises ValueError for another schema."""
    if plain["schema"] != SCHEMA_VERSION:
        raise ValueError(f"schema {plain['schema']}; this deadheat reads schema {SCHEMA_VERSION}")
    document = plain["document"]
    report = Report(
        detector=plain["detector"],
        kind=plain["kind"],
        accesses=tuple(map(_access_from_wire, plain["accesses"])),
        actors=tuple(map(_actor_from_wire, plain["actors"])),
        location=plain["location"] and _location_from_wire(plain["location"]),
        test=plain["test"],
        damage=tuple(map(Damage, plain["damage"])),
        locks=tuple(map(_lock_from_wire, plain["locks"])),
        cycle=tuple(map(_edge_from_wire, plain["cycle"])),
        facts=tuple(plain["facts"].items()),
    )
    return Sighting(
        report,
        Verdict(plain["title"], plain["fingerprint"], plain["race"]),
        document["uri"],
        Span(document["offset"], document["length"], document["lane"]),
        _document_from_wire(plain["bug_report"], plain["claims"]) if "claims" in plain else None,
    )


def _document_from_wire(plain: Plain, claims: list[Plain]) -> Document:
    return Document(**plain, claims=tuple(map(_claim_from_wire, claims)))


def _claim_from_wire(plain: Plain) -> Claim:
    details = [
        (name, value)
        for name, values in plain["details"].items()
        for value in (values if isinstance(values, list) else [values])
    ]
    return Claim(
        plain["kind"],
        plain["value"],
        plain["quote"],
        Span(plain["offset"], plain["length"]),
        plain["role"],
        tuple(details),
    )


def _access_to_wire(access: Access) -> Plain:
    site = access.site
    return {
        "op": access.op.value,
        "size": access.size,
        "address": access.address,
        "actor": access.actor,
        "locks": list(access.locks),
        "site": site
        and {
            "function": site.function,
            "package": site.package,
            "file": site.file,
            "line": site.line,
        },
        "stack": [frame_to_wire(frame) for frame in access.stack],
        **({"test": access.test} if access.test else {}),
    }


def _access_from_wire(plain: Plain) -> Access:
    stack = tuple(map(_frame_from_wire, plain["stack"]))
    return Access(
        op=Op(plain["op"]),
        actor=plain["actor"],
        stack=stack,
        address=plain["address"],
        size=plain["size"],
        locks=tuple(plain["locks"]),
        site=_site_from_wire(plain["site"], stack),
        test=plain.get("test"),
    )


def _site_from_wire(plain: Plain | None, stack: tuple[Frame, ...]) -> Frame | None:
    """The frame of the stack that the site names."""
    if plain is None:
        return None
    wanted = (plain["function"], plain["package"], plain["file"], plain["line"])
    return next(f for f in stack if (f.function, f.package, f.file, f.line) == wanted)


def frame_to_wire(frame: Frame) -> Plain:
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


def _frame_from_wire(plain: Plain) -> Frame:
    return Frame(
        function=plain["function"],
        package=plain["package"],
        file=plain["file"],
        line=plain["line"],
        origin=Origin(plain["origin"]),
        path=plain["path"],
        stale=plain["stale"],
        inlined=plain.get("inlined", False),
    )


def _stack_to_wire(stack: tuple[Frame, ...]) -> list[Plain]:
    return [frame_to_wire(frame) for frame in stack]


def _stack_from_wire(plain: list[Plain]) -> tuple[Frame, ...]:
    return tuple(map(_frame_from_wire, plain))


def _location_to_wire(location: Location) -> Plain:
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


def _location_from_wire(plain: Plain) -> Location:
    return Location(**{**plain, "stack": _stack_from_wire(plain["stack"])})


def _lock_to_wire(lock: Lock) -> Plain:
    return {
        "id": lock.id,
        "address": lock.address,
        "created_at": _stack_to_wire(lock.created_at),
    }


def _lock_from_wire(plain: Plain) -> Lock:
    return Lock(plain["id"], plain["address"], _stack_from_wire(plain["created_at"]))


def _edge_to_wire(edge: Edge) -> Plain:
    return {
        "held": edge.held,
        "acquired": edge.acquired,
        "actor": edge.actor,
        "stack": _stack_to_wire(edge.stack),
        "held_stack": _stack_to_wire(edge.held_stack),
    }


def _edge_from_wire(plain: Plain) -> Edge:
    stacks = (_stack_from_wire(plain[key]) for key in ("stack", "held_stack"))
    return Edge(plain["held"], plain["acquired"], plain["actor"], *stacks)


def _actor_to_wire(actor: Actor) -> Plain:
    return {
        "id": actor.id,
        "state": actor.state.value,
        "created_at": [frame_to_wire(frame) for frame in actor.created_at],
    }


def _actor_from_wire(plain: Plain) -> Actor:
    return Actor(
        plain["id"], State(plain["state"]), tuple(map(_frame_from_wire, plain["created_at"]))
    )


def _cause_to_wire(cause: Cause) -> Plain:
    return {
        "cause": cause.cause,
        "confidence": cause.confidence,
        "evidence": list(cause.evidence),
    }
