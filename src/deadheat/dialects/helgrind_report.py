"""Builds a report from the sections of a Helgrind report."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from deadheat.dialects import valgrind_lines as lines
from deadheat.dialects.blame import site
from deadheat.dialects.line_grammar import Section
from deadheat.dialects.native_tests import test_of
from deadheat.model import Access, Actor, Edge, Lock, Op, Report, State

if TYPE_CHECKING:
    from deadheat.dialects.line_grammar import Draft
    from deadheat.model import Damage, Location

# sections that start the report itself; threads and locks may be introduced before
MAIN = ("race", "order", "unlock", "call", "misuse")
_KINDS = (
    ("Exiting thread still holds", "exits-holding-locks"),
    ("Attempt to re-lock", "double-lock"),
    ("destroy of a locked", "destroy-locked-mutex"),
    ("containing a locked lock", "freed-memory-holds-lock"),
    ("an invalid lock", "invalid-mutex-access"),
    ("pthread_cond_", "cond-misuse"),
    ("condition variable", "cond-misuse"),
)


def report(draft: Draft, damage: set[Damage]) -> Report | None:
    """Return the report, or None if the sections are not one."""
    main = main_of(draft) or next(iter(draft.named("previous")), None)
    if main is None:
        return None
    cycle = edges(draft, main) if main.name == "order" else ()
    accesses = _acquisitions(cycle) if cycle else _accesses(draft, main)
    if not any(access.stack for access in accesses):
        return None
    actors = _actors(draft, main, accesses)
    return Report(
        "helgrind",
        _kind(main),
        accesses,
        actors,
        location=location(draft, main),
        test=test_of(accesses, actors),
        damage=tuple(sorted(damage)),
        locks=_locks(draft),
        cycle=cycle,
        facts=_facts(draft, main),
    )


def main_of(draft: Draft) -> Section | None:
    """The section that starts the report itself."""
    return next((s for s in draft.sections if s.name in MAIN), None)


def is_paired(draft: Draft) -> bool:
    """Is there another access, and does each of them have a stack?"""
    return (
        all(section.frames for section in draft.named("previous", "after"))
        and len(draft.named("race", "previous", "after")) > 1
    )


def _kind(main: Section) -> str:
    if main.name in ("race", "previous"):
        return "data-race"
    if main.name == "order":
        return "lock-order-inversion"
    text = main.fields["text"]
    other = {"unlock": "unlock-unlocked-mutex"}.get(main.name, "thread-api-error")
    if main.name == "call":
        return other
    return next((kind for phrase, kind in _KINDS if phrase in text), other)


def _actor(section: Section) -> str:
    thread = section.fields.get("thread")
    return f"thread {thread}" if thread else ""


def _accesses(draft: Draft, main: Section) -> tuple[Access, ...]:
    """The memory accesses; for a misused lock, where it was misused."""
    sides = [
        main,
        *(s for s in draft.sections if s.name in ("previous", "acquired") and s is not main),
    ]
    if "after" in (s.name for s in draft.sections):
        sides += [Section("after", s.fields) for s in draft.named("after")]
    return tuple(_access(side, main) for side in sides)


def _access(side: Section, main: Section) -> Access:
    stack = tuple(side.frames)
    size = side.fields.get("size")
    return Access(
        Op(side.fields.get("op", "unknown")),
        _actor(side) or _actor(main),
        stack,
        main.fields.get("address"),
        int(size) if size else None,
        _held(side),
        site(stack),
    )


def _held(side: Section) -> tuple[str, ...]:
    held = [token.fields.get("locks", "") for token in side.details if token.name == "held"]
    return tuple(" ".join(held).split())


def edges(draft: Draft, main: Section) -> tuple[Edge, ...]:
    """The observed lock order, and the required one."""
    found: list[Edge] = []
    held: Section | None = None
    if main.frames:  # before Valgrind 3.8, the header has the stack of the observed order
        first, second = main.fields["first"], main.fields["second"]
        found.append(Edge(second, first, _actor(main), tuple(main.frames)))
    for section in draft.sections:
        if section.name in ("observed", "required"):
            held = section
        elif section.name == "followed" and held is not None:
            actor = _actor(main) if held.name == "observed" else ""
            locks = held.fields["lock"], section.fields["lock"]
            found.append(Edge(*locks, actor, tuple(section.frames), tuple(held.frames)))
            held = None
    return tuple(found)


def _acquisitions(edges: tuple[Edge, ...]) -> tuple[Access, ...]:
    return tuple(
        Access(Op.UNKNOWN, edge.actor, edge.stack, edge.acquired, site=site(edge.stack))
        for edge in edges
    )


def _actors(draft: Draft, main: Section, accesses: tuple[Access, ...]) -> tuple[Actor, ...]:
    created = {
        _actor(s): Actor(_actor(s), created_at=tuple(s.frames)) for s in draft.named("created")
    }
    roots = {_actor(s): Actor(_actor(s), State.MAIN) for s in draft.named("root")}
    known = {"thread #1": Actor("thread #1", State.MAIN), **created, **roots}
    holder = main.fields.get("holder")
    names = [access.actor for access in accesses] + ([f"thread {holder}"] if holder else [])
    return tuple(known.get(name) or Actor(name) for name in dict.fromkeys(names) if name)


def location(draft: Draft, main: Section) -> Location | None:
    """The memory of the race, or the misused lock."""
    wanted = main.name not in ("race", "previous", "order")
    below_lock = False
    for section in draft.sections:
        if section.name == "address" and below_lock is wanted:
            return lines.location(section, "thread #")
        below_lock = section.name == "lock"
    return None


def _locks(draft: Draft) -> tuple[Lock, ...]:
    observed = {s.fields["lock"]: tuple(s.frames) for s in draft.named("lock")}
    named = [s.fields["lock"] for s in draft.sections if "lock" in s.fields]
    return tuple(Lock(lock, lock, observed.get(lock, ())) for lock in dict.fromkeys(named))


def _lock_names(draft: Draft) -> list[tuple[str, str]]:
    """Facts with the variable that contains each lock, if known."""
    names = []
    for section, below in itertools.pairwise(draft.sections):
        if section.name == "lock" and below.name == "address":
            name = lines.location(below).name
            names += [("lock names", f"{section.fields['lock']} {name}")] if name else []
    return names


def _facts(draft: Draft, main: Section) -> tuple[tuple[str, str], ...]:
    facts: list[tuple[str, str]] = []
    if "text" in main.fields:
        facts.append(("says", main.fields["text"].strip()))
    facts += _lock_names(draft)
    facts += [("error code", t.fields["text"]) for t in main.details if t.name == "code"]
    for name, label in (("after", "other access after"), ("before", "other access before")):
        facts += [
            (label, lines.told(section) or _edge_of(section)) for section in draft.named(name)
        ]
    return lines.distinct(facts)


def _edge_of(section: Section) -> str:
    return next((t.fields["text"] for t in section.details if t.name == "edge"), "unknown")
