"""Builds a report from the sections of a ThreadSanitizer report."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from deadheat.dialects import tsan_lines
from deadheat.dialects.blame import site
from deadheat.dialects.native_tests import test_of
from deadheat.model import (
    Access,
    Actor,
    Damage,
    Edge,
    Frame,
    Location,
    Lock,
    Op,
    Origin,
    Report,
    State,
)
from deadheat.symbols import native
from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.dialects.line_grammar import Draft, Section, Token

MAIN = "main thread"
_OPS = {
    "read": Op.READ,
    "write": Op.WRITE,
    "atomic read": Op.ATOMIC_READ,
    "atomic write": Op.ATOMIC_WRITE,
    "modifying": Op.WRITE,
    "read-only": Op.READ,
}
# a write by one of these functions frees the block
_FREES = regex(r"(?:c?free|realloc|operator delete(?:\[\])?|__rust_dealloc)(?:$|[(@])")
# kinds with two accesses
_RACES = frozenset((
    "data-race", "data-race-on-vptr", "use-after-free", "use-after-free-on-vptr",
    "race-on-external-object", "data-race-on-swift-object",
))  # fmt: skip
_STACKS = ("bare", "and", "signal", "lost")
# "M0 (0x55b9a397d080)"
_LOCK = regex(r"(?P<id>M\d{1,19})(?: \((?P<address>[0-9a-fx]{1,18})\))?")

# "libstdc++.so.6", "libshop.dylib:arm64", "plugin.so", "shop.dll"
_LIBRARY = regex(r"\.(?:so|dylib|dll)\b")


def kind(draft: Draft) -> str | None:
    """The kind, from the banner, else from the summary, else from the sections."""
    if draft.opening is not None:
        return tsan_lines.kind(draft.opening["what"])
    if draft.closing and (told := tsan_lines.summary_kind(draft.closing.get("what", ""))):
        return told
    if draft.named("edge", "cycle"):
        return "lock-order-inversion"
    accesses = draft.named("access")
    if not accesses:
        return None
    swift = any("Swift" in section.fields.get("object", "") for section in accesses)
    external = any("object" in section.fields for section in accesses)
    return (
        "data-race-on-swift-object" if swift else
        "race-on-external-object" if external else "data-race"
    )  # fmt: skip


def begins(draft: Draft, token: Token) -> bool:
    """Does this section start another report?"""
    names = {section.name for section in draft.sections}
    if token.name == "cycle":
        return bool(names)
    if token.name != "access":
        return False
    previous = _is_previous(token.fields)
    if not previous:
        return bool(names)
    return any(_is_previous(section.fields) for section in draft.named("access"))


def is_complete(draft: Draft) -> bool:
    """Does the draft have a summary, all stacks, and the creation of every accessing thread?"""
    if not draft.closed or not all(_has_stack(section) for section in draft.sections):
        return False
    if any(section.name == "lost" for section in draft.sections):
        return False
    what = kind(draft)
    if what in _RACES and len(draft.named("access")) < 2:
        return False
    created = {section.fields["id"] for section in _threads(draft)}
    actors = {s.fields["actor"] for s in draft.named("access", "edge")} - {MAIN}
    return {actor.removeprefix("thread ") for actor in actors} <= created


def report(draft: Draft, damage: set[Damage]) -> Report | None:
    """Return the report, or None without a kind or a stack."""
    what = kind(draft)
    if what is None:
        return None
    accesses = tuple(_accesses(draft, what))
    if not any(access.stack for access in accesses) and not _all_failed(draft):
        return None
    if draft.opening is None:
        damage.add(Damage.NO_BANNER)
    if any(_failed(section) for section in draft.sections):
        damage.add(Damage.NO_STACK)
    actors = tuple(_actors(draft, accesses))
    return Report(
        "tsan",
        what,
        accesses,
        actors,
        _location(draft, accesses),
        test_of(accesses, actors),
        tuple(sorted(damage)),
        tuple(_locks(draft)),
        tuple(_cycle(draft)),
        tuple(dict(_facts(draft)).items()),
    )


def _is_previous(fields: dict[str, str]) -> bool:
    return fields.get("op", fields.get("external", "")).lower().startswith("previous")


def _failed(section: Section) -> bool:
    return any(token.name == "failed" for token in section.details)


def _has_stack(section: Section) -> bool:
    if section.name in ("global", "area", "cycle"):
        return True
    return bool(section.frames) or _failed(section) or "how" in section.fields


def _all_failed(draft: Draft) -> bool:
    accesses = draft.named("access")
    return bool(accesses) and all(_failed(section) for section in accesses)


def _threads(draft: Draft) -> list[Section]:
    return draft.named("thread", "stackless")


# -- accesses --------------------------------------------------------------------------------------


def _accesses(draft: Draft, what: str) -> Iterable[Access]:
    told = draft.named("access")
    if told or what in _RACES:
        return [_access(section) for section in _sides(draft)]
    if edges := draft.named("edge"):
        return [_unknown(edge, edge.fields["actor"]) for edge in edges]
    if stacks := draft.named(*_STACKS):
        return [_unknown(section) for section in stacks if section.frames]
    return [_unknown(section, f"thread {section.fields['id']}") for section in _threads(draft)]


def _sides(draft: Draft) -> list[Section]:
    """The sections of the accesses, including a stack without a header."""
    sides = list(takewhile(lambda s: s.name in ("access", "bare", "lost"), draft.sections))
    told = draft.named("access")
    return sides if len(sides) <= 2 and all(section in sides for section in told) else told


def _access(section: Section) -> Access:
    fields, stack = section.fields, tuple(section.frames)
    return Access(
        _op(fields, stack),
        fields.get("actor", ""),
        stack,
        fields.get("address"),
        int(fields["size"]) if "size" in fields else None,
        tuple(lock.strip() for lock in fields.get("locks", "").split(",") if lock.strip()),
        site(stack),
    )


def _op(fields: dict[str, str], stack: tuple[Frame, ...]) -> Op:
    word = fields.get("op", fields.get("external", "")).lower().removeprefix("previous ")
    op = _OPS.get(word, Op.UNKNOWN)
    return Op.FREE if op is Op.WRITE and stack and _FREES.match(stack[0].function) else op


def _unknown(section: Section, actor: str = "") -> Access:
    stack = tuple(section.frames)
    return Access(Op.UNKNOWN, actor, stack, site=site(stack))


# -- actors, memory, locks -------------------------------------------------------------------------


def _actors(draft: Draft, accesses: tuple[Access, ...]) -> Iterable[Actor]:
    created = {f"thread {s.fields['id']}": s for s in _threads(draft)}
    for name in dict.fromkeys([*(a.actor for a in accesses if a.actor), *created]):
        section = created.get(name)
        state = State.MAIN if name == MAIN else State.UNKNOWN
        if section is None:
            yield Actor(name, state)
        else:
            yield Actor(name, State(section.fields["state"]), tuple(section.frames))


def _location(draft: Draft, accesses: tuple[Access, ...]) -> Location | None:
    for section in draft.named("global", "heap", "area", "descriptor"):
        fields = section.fields
        address = fields.get("address")
        if address is not None and not int(address, 16):
            address = None  # a global unknown to the symbolizer
        thing = fields.get("object", "heap block")
        name = native.readable(fields.get("name", "<null>"))
        return Location(
            fields["area"].lower() if section.name == "area" else section.name,
            name if name != "<null>" else None if thing == "heap block" else thing,
            address,
            int(fields["size"]) if "size" in fields else None,
            _offset(address, accesses),
            fields.get("actor"),
            stack=tuple(section.frames),
        )
    return None


def _offset(address: str | None, accesses: tuple[Access, ...]) -> int | None:
    at = next((access.address for access in accesses if access.address), None)
    if address is None or at is None:
        return None
    return max(0, int(at, 16) - int(address, 16))


def _locks(draft: Draft) -> list[Lock]:
    locks: dict[str, Lock] = {}
    for section in draft.named("cycle"):
        for match in _LOCK.finditer(section.fields["cycle"]):
            locks.setdefault(match["id"], Lock(match["id"], match["address"]))
    for section in draft.named("mutex"):
        name = section.fields["lock"]
        locks[name] = Lock(name, section.fields.get("address"), tuple(section.frames))
    return list(locks.values())


def _cycle(draft: Draft) -> Iterable[Edge]:
    for i, section in enumerate(draft.sections):
        if section.name == "edge":
            held = next((s for s in draft.sections[i + 1 : i + 2] if s.name == "held"), None)
            yield Edge(
                section.fields["held"],
                section.fields["lock"],
                section.fields["actor"],
                tuple(section.frames),
                tuple(held.frames) if held else (),
            )


# -- facts --------------------------------------------------------------------------------------


def _program(draft: Draft) -> str | None:
    """The program, from the module of the first user frame outside a library."""
    for section in draft.sections:
        for frame, token in zip(section.frames, section.tokens, strict=False):
            name = token.fields["module"]
            # "exe" is from /proc/self/exe
            if (
                frame.origin is Origin.USER
                and name not in ("", "exe")
                and not _LIBRARY.search(name)
            ):
                return name.partition(":")[0]
    return None


def _facts(draft: Draft) -> Iterable[tuple[str, str]]:
    if draft.opening and "pid" in draft.opening:
        yield "pid", draft.opening["pid"]
    if program := _program(draft):
        yield "program", program
    for section in draft.sections:
        yield from _told(section)
    for token in [*draft.details, *(t for s in draft.sections for t in s.details)]:
        if token.name == "hint":
            yield "hint", token.fields["hint"]
        elif token.name == "destroyed":
            yield f"mutex {token.fields['lock']}", "already destroyed"
        elif token.name == "more":
            yield "similar thread leaks", token.fields["more"]


def _told(section: Section) -> Iterable[tuple[str, str]]:
    fields = section.fields
    if fields.get("named"):
        yield f"name of thread {fields['id']}", fields["named"]
    if fields.get("called"):
        yield f"name of {fields['actor']}", fields["called"]
    if section.name == "signal":
        yield "signal", fields["number"]
    if section.name == "access" and "object" in fields:
        yield "object", fields["object"]
    if section.name == "descriptor":
        yield "descriptor", fields["what"]
    if section.name == "sleep" and (place := site(tuple(section.frames))) is not None:
        yield "as if synchronized via sleep", f"{place.function} {place.file}:{place.line}"
