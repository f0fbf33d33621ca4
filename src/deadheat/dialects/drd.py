"""DRD, Valgrind's second thread checker.

## What it prints

    ==4711== Thread 2:
    ==4711== Conflicting store by thread 2 at 0x0010c080 size 8
    ==4711==    at 0x10923D: cart_add (cart.c:24)
    ==4711==    by 0x490E1F4: start_thread (pthread_create.c:442)
    ==4711== Allocation context: BSS section of /src/shop/shop
    ==4711== Other segment start (thread 3)
    ==4711==    (thread finished, call stack no longer available)
    ==4711== Other segment end (thread 3)
    ==4711==    at 0x490FCE2: pthread_join (pthread_join.c:24)
    ==4711==    by 0x1092A0: main (cart.c:36)

DRD knows one access. Of the other access it only knows the segment: the two events of its thread
between which it happened. The stacks of these events are reported as facts, not as an access.
Accesses are `load` and `store`. A global variable is identified by its section, and by its name if
the program ran with `--read-var-info=yes`.

## Kinds

`data-race`, `double-lock`, `unlock-unlocked-mutex`, `invalid-mutex-access`, `destroy-locked-mutex`,
`exits-holding-locks`, `read-lock-of-write-locked-mutex`, `cond-misuse`, `thread-api-error`
(barriers, semaphores). Locks held longer than `--exclusive-threshold` are not reported.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.dialects import valgrind_lines as lines
from deadheat.dialects.blame import site
from deadheat.dialects.line_grammar import Draft, Role, Section, Token
from deadheat.dialects.line_machine import LineDialect, LineMachine
from deadheat.dialects.native_tests import test_of
from deadheat.model import Access, Actor, Damage, Frame, Location, Lock, Op, Report, State
from deadheat.symbols import native
from deadheat.text.late import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

_HEX = lines.HEX
_THING = r"(?P<thing>mutex|rwlock|cond|condition variable|barrier|semaphore)"
_SECTIONS = {
    # "Conflicting store by thread 2 at 0x0010c080 size 8"
    "race": regex(
        r"Conflicting (?P<op>load|store) by thread (?P<thread>\d{1,9})"
        rf" at (?P<address>{_HEX}) size (?P<size>\d{{1,9}})"
    ),
    # "Mutex not locked: mutex 0x10c1a0, recursion count 0, owner 1."
    "misuse": regex(
        r"(?P<text>(?:[A-Z][a-z]|condition variable has|destruction of|not a |pthread_)"
        rf"[\w' ():-]{{5,100}}): {_THING} (?P<lock>{_HEX})"
        r"(?:, recursion count \d{1,9}, owner (?P<holder>\d{1,9}))?"
        rf"(?:,? (?:mutex|mutexes|and) {_HEX}){{0,3}}"
        r"(?: has been signaled but the associated mutex.{0,80}thread)?\.?"
    ),
    # "The object at address 0x10c120 is not a mutex."
    "invalid": regex(
        rf"(?P<text>The object at address (?P<lock>{_HEX}) is not a mutex(?=\.)"
        r"|Not a reader-writer lock)\.?"
    ),
    # "mutex 0x10c1a0 was first observed at:"
    "observed": regex(rf"{_THING} (?P<lock>{_HEX}) was first observed at:"),
    # "Address 0x4d97c5c is at offset 12 from 0x4d97c50. Allocation context:"
    "block": regex(
        rf"Address (?P<address>{_HEX}) is at offset (?P<offset>-?\d{{1,18}}) from {_HEX}\."
        r" Allocation context:"
    ),
    # "Other segment start (thread 3)"
    "segment": regex(r"Other segment (?P<end>start|end) \(thread (?P<thread>\d{1,9})\)"),
    # "Conflicting wait call by thread 2:"
    "wait": regex(r"Conflicting wait call by thread (?P<thread>\d{1,9}):"),
}
_DETAILS = {
    # "Allocation context: BSS section of /src/shop/shop", "Allocation context: unknown."
    "context": regex(
        r"Allocation context: (?:(?P<segment>\S{1,40}) section of (?P<of>\S{1,1000})|unknown\.)"
    ),
    "finished": regex(r"\(thread finished, call stack no longer available\)"),
}
# "Thread 2:", "Thread 2 worker:"
_THREAD = regex(r"Thread (?P<thread>\d{1,9})(?: [\w.:/-]{1,40})?:$")
_WORDS = regex(r"hread|0x|reader-writer|Allocation")
_MAIN = ("race", "misuse", "invalid")
_KINDS = (
    ("still locked", "exits-holding-locks"),
    ("Already locked for writing", "read-lock-of-write-locked-mutex"),
    ("Recursive", "double-lock"),
    ("locked recursively", "double-lock"),
    ("locked simultaneously", "double-lock"),
    ("Destroying locked", "destroy-locked-mutex"),
    ("not locked", "unlock-unlocked-mutex"),
)
_OPS = {"load": Op.READ, "store": Op.WRITE}
_LATER = regex(
    r"Conflicting|Other segment|(?:mutex|rwlock|cond|variable|barrier|semaphore) 0x"
    r"|not a (?:mutex|reader-writer)|drd_pthread_inter|vgpreload_drd",
    re.IGNORECASE,
)


class DrdGrammar:
    """The lines of a DRD report."""

    bare = False

    def token(self, body: str) -> Token | None:
        if body.startswith(("at 0x", "by 0x")) or _WORDS.search(body) is None:
            return lines.shared(body)
        for name, pattern in _SECTIONS.items():
            if match := pattern.search(body):
                return lines.found(Role.SECTION, name, match)
        for name, pattern in _DETAILS.items():
            if match := pattern.search(body):
                return lines.found(Role.DETAIL, name, match)
        if match := _THREAD.match(body):
            return lines.found(Role.OPENING, "thread", match)
        return lines.shared(body)

    def frame(self, token: Token) -> Frame:
        return lines.frame(token)

    def begins(self, draft: Draft, token: Token) -> bool:
        return token.name in _MAIN and bool(draft.named(*_MAIN))

    def is_complete(self, draft: Draft) -> bool:
        main = next(iter(draft.named(*_MAIN)), None)
        if main is None or not main.frames:
            return False
        if main.name == "race":
            return _location(draft) is not None
        stacks = [main.frames, *(s.frames for s in draft.named("observed"))]
        return all(stacks) and (draft.ended or lines.ends_at_a_bottom(stacks[-1]))

    def report(self, draft: Draft, damage: set[Damage]) -> Report | None:
        main = next(iter(draft.named(*_MAIN)), None)
        if main is None or not main.frames:
            return None
        thread = main.fields.get("thread") or (draft.opening or {}).get("thread")
        access = _access(main, f"thread {thread}" if thread else "")
        others = [s.fields["thread"] for s in draft.named("segment", "wait")]
        others += [main.fields["holder"]] if main.fields.get("holder", "0") != "0" else []
        return Report(
            "drd",
            _kind(main),
            (access,),
            _actors([access.actor, *(f"thread {other}" for other in others)]),
            location=_location(draft),
            test=test_of([access], ()),
            damage=tuple(sorted(damage)),
            locks=_locks(draft),
            facts=_facts(draft, main),
        )


def _kind(main: Section) -> str:
    if main.name == "race":
        return "data-race"
    if main.name == "invalid":
        return "invalid-mutex-access"
    if "cond" in main.fields["thing"]:
        return "cond-misuse"
    text = main.fields["text"]
    return next((kind for phrase, kind in _KINDS if phrase in text), "thread-api-error")


def _access(main: Section, actor: str) -> Access:
    stack = tuple(main.frames)
    size = main.fields.get("size")
    return Access(
        _OPS.get(main.fields.get("op", ""), Op.UNKNOWN),
        actor,
        stack,
        main.fields.get("address"),
        int(size) if size else None,
        site=site(stack),
    )


def _actors(names: Iterable[str]) -> tuple[Actor, ...]:
    return tuple(
        Actor(name, State.MAIN if name == "thread 1" else State.UNKNOWN)
        for name in dict.fromkeys(names)
        if name
    )


def _location(draft: Draft) -> Location | None:
    for section in draft.sections:
        if section.name == "address":
            return lines.location(section)
        if section.name == "block":
            fields = section.fields
            stack = tuple(section.frames)
            return Location(
                "heap", address=fields["address"], offset=int(fields["offset"]), stack=stack
            )
        for token in section.details:
            if token.name == "context":
                kind = "global" if "segment" in token.fields else "unknown"
                return Location(kind, address=section.fields.get("address"))
    return None


def _locks(draft: Draft) -> tuple[Lock, ...]:
    observed = {s.fields["lock"]: tuple(s.frames) for s in draft.named("observed")}
    named = [s.fields["lock"] for s in draft.sections if "lock" in s.fields]
    return tuple(Lock(lock, lock, observed.get(lock, ())) for lock in dict.fromkeys(named))


def _facts(draft: Draft, main: Section) -> tuple[tuple[str, str], ...]:
    facts = [("says", main.fields["text"])] if "text" in main.fields else []
    for section in draft.sections:
        facts += [
            ("section", f"{token.fields['segment']} of {token.fields['of']}")
            for token in section.details
            if token.name == "context" and "segment" in token.fields
        ]
        if section.name == "segment":
            label = f"other segment {section.fields['end']}"
            facts.append((label, lines.told(section) or "thread finished"))
        elif section.name == "wait":
            facts.append(("conflicting wait", lines.told(section)))
    return lines.distinct(facts)


class DrdDialect(LineDialect):
    """DRD, with or without `==pid==` prefixes."""

    name = "drd"
    called = "DRD"
    symbols = native
    anchors = (
        b"Conflicting",
        b"Other segment",
        b"mutex 0x",
        # wrappers, present in almost every stack
        b"drd_pthread_intercepts.c",
        *(b"vgpreload_drd", b"vgpreload\\_drd"),
    )

    hints = (b"hread",)
    folds = lines.FOLDS

    def column(self, text: str) -> int:
        if " 0x" not in text and "onflicting" not in text and "eader-writer" not in text:
            return -1
        if _LATER.search(text) is None:
            return -1
        matches = (_SECTIONS[name].search(text) for name in _MAIN)
        return next((match.start() for match in matches if match), -1)

    def remnant(self, text: str) -> bool:
        return _LATER.search(text) is not None

    def promises(self, ahead: bytes) -> bool:
        return lines.promises(ahead)

    def starts(self, anchor: bytes) -> bool:
        return False  # the thread may be on the line before

    def machine(self) -> LineMachine:
        return LineMachine(DrdGrammar())


DIALECT = DrdDialect()
