"""Miri, the interpreter that detects undefined behavior in Rust.

## What it prints

    error: Undefined Behavior: Data race detected between (1) non-atomic write on thread `unnamed-1` and (2) non-atomic read on thread `main` at alloc1352+0x8
      --> src/cart.rs:40:9
       |
    40 |         self.total
       |         ^^^^^^^^^^ (2) just happened here
       |
    help: and (1) occurred earlier here
      --> src/cart.rs:31:9
       |
    31 |         self.total += price;
       |         ^^^^^^^^^^^^^^^^^^^
       = note: this is on thread `main`
       = note: stack backtrace:
               0: shop::Cart::total
                   at src/cart.rs:40:9: 40:19
               1: main
                   at src/main.rs:12:5: 12:17

    error: aborting due to 1 previous error

The later access has a stack, the earlier one only a location. The function of the earlier access is
taken from the other stack if that contains the same line, and is `??` otherwise. Before 2023,
accesses had no numbers and the earlier one had no location. Until 2025, the stack was a list of
notes (`= note: inside ... at ...`, `note: inside ...`). All these formats are parsed, with their
names of the operations.

A retag counts as the read or write that Miri calls it, and the creation of an allocation as a
write. The printed wording of each access is a fact. If one access frees the memory, the kind is
`use-after-free`; for atomic accesses of different sizes, it is `mixed-size-race`. The allocation is
the location. The actor of the later access was created by the code that Miri names as the start of
its thread.

## Damage that is tolerated

Foreign lines anywhere, a first line wrapped at any column, missing quoted source, indentation, help
and stack. A report needs its first line and one location.
"""  # noqa: E501

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.dialects import miri_grammar as lines
from deadheat.dialects.blame import site
from deadheat.dialects.line_machine import LineDialect, LineMachine
from deadheat.model import Access, Actor, Damage, Frame, Location, Op, Report, State
from deadheat.symbols import rustc
from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.dialects import Machine
    from deadheat.dialects.line_grammar import Draft, Section, Token

# names of operations in all versions, without spaces; the first match counts
_OPS = (
    (regex(r"dealloc"), Op.FREE),
    (regex(r"alloc"), Op.WRITE),
    (regex(r"(?<!non-)atomic(?:load|read$)|atomicloads"), Op.ATOMIC_READ),
    (regex(r"(?<!non-)atomic"), Op.ATOMIC_WRITE),
    (regex(r"read$"), Op.READ),
    (regex(r"write$"), Op.WRITE),
)
_SIZE = regex(r"(\d{1,4})-byte")
# 'id = 0, name = "main"'
_THREAD = regex(r'id ?= ?(?P<id>\d{1,9})(?:, ?name ?= ?"(?P<name>[^"]{1,100})")?')


class MiriGrammar:
    """The lines of a Miri report."""

    bare = False

    def token(self, body: str) -> Token | None:
        return lines.token(body)

    def frame(self, token: Token) -> Frame:
        return rustc.frame(rustc.UNNAMED, token.fields["path"], int(token.fields["line"]))

    def begins(self, draft: Draft, token: Token) -> bool:
        return token.name == "race" and bool(draft.sections)

    def is_complete(self, draft: Draft) -> bool:
        race = _race(draft)
        if race is None or not race.frames:
            return False
        earlier = draft.named("earlier")
        placed = bool(earlier and earlier[-1].frames)
        ended = draft.closed or any(t.name == "end" for s in draft.sections for t in s.details)
        ended = ended or any(section.frames for section in draft.named("spawned"))
        return ended and (placed or "number1" not in race.fields)

    def report(self, draft: Draft, damage: set[Damage]) -> Report | None:
        race = _race(draft)
        if race is None:
            return None
        earlier = next(reversed(draft.named("earlier")), None)
        told = race.fields
        stack = _stack(draft, race)
        before = _named_after(earlier.frames[:1] if earlier is not None else [], stack)
        if not stack and not before:
            return None
        latest = _latest(told, earlier)
        names = _names(told)
        sides = {latest: tuple(stack), 3 - latest: tuple(before)}
        accesses = [_access(told, number, names[number - 1], sides[number]) for number in (1, 2)]
        return Report(
            DIALECT.name,
            _kind(told, [access.op for access in accesses]),
            tuple(accesses),
            tuple(_actor(draft, name, number == latest) for number, name in enumerate(names, 1)),
            _location(told),
            told.get("test"),
            tuple(sorted(damage)),
            facts=tuple(_facts(told)),
        )


def _race(draft: Draft) -> Section | None:
    return next((s for s in draft.named("race") if "op1" in s.fields), None)


def _latest(told: dict[str, str], earlier: Section | None) -> int:
    """The number of the later access; 1 if the accesses have no numbers."""
    if "now" in told:
        return 2 if told["now"] == "2" else 1
    if earlier is not None and "number" in earlier.fields:
        return 1 if earlier.fields["number"] == "2" else 2
    return 2 if "number1" in told else 1


def _stack(draft: Draft, race: Section) -> list[Frame]:
    """The stack of the later access, whose innermost location is printed separately."""
    inner = [section for section in draft.named("inside") if _function(section)]
    last = draft.sections[-1]
    if inner and inner[-1] is last and "open" in last.fields and not last.frames:
        inner.pop()  # the text may be cut within this name
    frames = [_inner(section) for section in inner]
    if not race.frames:
        return frames
    place = race.frames[0]
    if not frames:
        return [place]
    first = frames[0]
    if not first.path:
        return [rustc.frame(first.function, place.path, place.line), *frames[1:]]
    return frames if (first.file, first.line) == (place.file, place.line) else [place, *frames]


def _function(section: Section) -> str:
    function = section.fields.get("function") or section.fields.get("closure", "")
    # spaces may be lost or added where a line was wrapped
    return re.sub(r",\s*", ", ", function.strip())


def _inner(section: Section) -> Frame:
    told = section.fields
    if "path" in told:
        return rustc.frame(_function(section), told["path"], int(told["line"]))
    place = section.frames[0] if section.frames else None
    return rustc.frame(
        _function(section), place.path if place else "", place.line if place else None
    )


def _named_after(frames: list[Frame], stack: list[Frame]) -> list[Frame]:
    """The frames, named after frames of the other stack on the same line."""
    known = {(f.file, f.line): f.function for f in reversed(stack)}
    return [rustc.frame(known.get((f.file, f.line), f.function), f.path, f.line) for f in frames]


def _names(told: dict[str, str]) -> list[str]:
    """The names of the two threads, numbered if they are equal."""
    names = []
    for number in "12":
        match = _THREAD.search(told.get(f"id{number}", ""))
        name = match["name"] or match["id"] if match else told.get(f"thread{number}", "")
        names.append(f"thread {name}")
    return names if names[0] != names[1] else [f"{name} ({n})" for n, name in enumerate(names, 1)]


def _op(worded: str) -> Op:
    plain = worded.replace(" ", "").lower()
    return next((op for pattern, op in _OPS if pattern.search(plain)), Op.UNKNOWN)


def _access(told: dict[str, str], number: int, actor: str, stack: tuple[Frame, ...]) -> Access:
    worded = told[f"op{number}"]
    size = _SIZE.search(worded)
    return Access(_op(worded), actor, stack, size=int(size[1]) if size else None, site=site(stack))


def _actor(draft: Draft, name: str, latest: bool) -> Actor:
    spawned = draft.named("spawned")
    created = tuple(spawned[0].frames[:1]) if latest and spawned else ()
    return Actor(name, State.MAIN if name == "thread main" else State.UNKNOWN, created)


def _kind(told: dict[str, str], ops: list[Op]) -> str:
    if Op.FREE in ops:
        return "use-after-free"
    return "data-race" if told["what"].startswith("Data") else "mixed-size-race"


def _location(told: dict[str, str]) -> Location:
    offset = told.get("offset")
    return Location("unknown", told["alloc"], offset=int(offset, 16) if offset else None)


def _facts(told: dict[str, str]) -> Iterator[tuple[str, str]]:
    for number in "12":
        kind = told.get(f"type{number}")
        worded = " ".join(told[f"op{number}"].split())
        yield f"access {number}", f"{worded} of type `{kind}`" if kind else worded


class MiriDialect(LineDialect):
    """Miri, in all report formats since 2020."""

    name = "miri"
    called = "Miri"
    symbols = rustc
    anchors = (
        b"Undefined Behavior",  # in the first line, and in the help below it
        b"Data race detected",
        # the same, colored word by word
        b"Undefined\x1b[",
        b"Undefined \x1b[",
        # the same, copied from a web page
        b"Undefined\xc2\xa0Behavior",
        b"Undefined&nbsp;Behavior",
        # the same, with a tag around each word
        b"Undefined</",
    )

    hints = (b"Undefined", b"Data race")
    folds = lines.FOLDS

    def column(self, text: str) -> int:
        if "Behavior:" not in text:
            return -1
        match = lines.BEGINS.search(text)
        return match.start() if match else -1

    def remnant(self, text: str) -> bool:
        return lines.LATER.search(text) is not None

    def promises(self, ahead: bytes) -> bool:
        return b".rs" in ahead or b".<" in ahead

    def starts(self, anchor: bytes) -> bool:
        return anchor.startswith(b"Undefined")

    def machine(self) -> Machine:
        return LineMachine(MiriGrammar())


DIALECT = MiriDialect()
