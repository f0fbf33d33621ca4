"""Helgrind, Valgrind's checker of locks and happens-before.

## What it prints

    ==4711== ---Thread-Announcement------------------------------------------
    ==4711==
    ==4711== Thread #2 was created
    ==4711==    at 0x496CB3F: clone (clone.S:76)
    ==4711==    by 0x109299: main (cart.c:34)
    ==4711==
    ==4711== ----------------------------------------------------------------
    ==4711==
    ==4711== Possible data race during write of size 8 at 0x10C080 by thread #1
    ==4711== Locks held: none
    ==4711==    at 0x10923D: cart_add (cart.c:24)
    ==4711==    by 0x1092A0: main (cart.c:36)
    ==4711==
    ==4711== This conflicts with a previous read of size 8 by thread #2
    ==4711== Locks held: 1, at address 0x10C0A0
    ==4711==    at 0x1091CA: cart_sum (cart.c:13)
    ==4711==    by 0x48ED1F4: start_thread (pthread_create.c:442)
    ==4711==  Address 0x10c080 is 0 bytes inside data symbol "cart_total"

A thread is announced once in a run, before the first report that names it, so that later reports do
not tell where it was created. With `--history-level=none`, or where the history was lost, there is
one access only; with `approx`, the other one is only known to lie between two stacks, which are
told as facts.

## Kinds

`data-race`, `lock-order-inversion` with its cycle, `double-lock`, `unlock-unlocked-mutex` (also one
that another thread holds), `invalid-mutex-access`, `destroy-locked-mutex`, `exits-holding-locks`,
`freed-memory-holds-lock`, `cond-misuse`, `thread-api-error`.

Memcheck's errors, suppressions and the summary are no reports.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from deadheat.dialects import valgrind_lines as lines
from deadheat.dialects.blame import site
from deadheat.dialects.line_machine import Draft, LineDialect, LineMachine, Role, Section, Token
from deadheat.model import Access, Actor, Damage, Edge, Frame, Lock, Op, Report, State
from deadheat.symbols import native
from deadheat.text.late import regex

if TYPE_CHECKING:
    from deadheat.model import Location

_HEX = lines.HEX
_THREAD = r"(?P<thread>#\d{1,9})"
_SECTIONS = {
    # "Possible data race during write of size 8 at 0x10C080 by thread #1"
    "race": regex(
        r"Possible data race during (?P<op>read|write) of size (?P<size>\d{1,9})"
        rf" at (?P<address>{_HEX}) by thread {_THREAD}"
    ),
    # "This conflicts with a previous read of size 8 by thread #2"
    "previous": regex(
        r"This conflicts with a previous (?P<op>read|write) of size (?P<size>\d{1,9})"
        rf" by thread {_THREAD}"
    ),
    # "This conflicts with a previous access by thread #3, after"
    "after": regex(rf"This conflicts with a previous access by thread {_THREAD}, after"),
    # 'Thread #3: lock order "0x10C120 before 0x10C160" violated'
    "order": regex(
        rf'Thread {_THREAD}: lock order "(?P<first>{_HEX}) before (?P<second>{_HEX})" violated'
    ),
    # "Observed (incorrect) order is: acquisition of lock at 0x10C160"
    "observed": regex(rf"Observed \(incorrect\) order is: acquisition of lock at (?P<lock>{_HEX})"),
    # "Required order was established by acquisition of lock at 0x10C120"
    "required": regex(
        rf"Required order was established by acquisition of lock at (?P<lock>{_HEX})"
    ),
    # "followed by a later acquisition of lock at 0x10C120"
    "followed": regex(rf"followed by a later acquisition of lock at (?P<lock>{_HEX})"),
    # "Thread #2 unlocked lock at 0x10C1A0 currently held by thread #1"
    "unlock": regex(
        rf"Thread {_THREAD} unlocked (?P<text>(?:a not-locked lock|an invalid lock|lock)"
        rf" at (?P<lock>{_HEX})(?: currently held by thread (?P<holder>#\d{{1,9}}))?)"
    ),
    # "Thread #2's call to pthread_mutex_unlock failed"
    "call": regex(rf"Thread {_THREAD}'s call to (?P<text>[\w@.*]{{1,200}} failed)"),
    # "Thread #2: Exiting thread still holds 1 lock"
    "misuse": regex(
        rf"Thread {_THREAD}(?:: |(?= deallocated ))(?P<text>Exiting thread still holds \d{{1,9}} locks?"
        r"|Attempt to re-lock a non-recursive lock I already hold|Bug in libpthread: .{1,120}"
        r"|(?:pthread|sem)_[^\s:]{1,60}:? .{1,120}|condition variable .{1,80}"
        rf"| ?deallocated .{{1,60}} containing a locked lock)"
    ),
    # "Thread #2 was created"
    "created": regex(rf"Thread {_THREAD} was created"),
    # "Thread #1 is the program's root thread"
    "root": regex(rf"Thread {_THREAD} is the program's root thread"),
    # "Lock at 0x111108 was first observed"
    "lock": regex(rf"Lock at (?P<lock>{_HEX}) was first observed"),
    # "Lock was previously acquired"
    "acquired": regex(r"Lock was previously acquired"),
    "announcement": regex(r"---Thread-Announcement-{3,}"),
    "rule": regex(r"-{60,70}$"),
    # behind "... after" and its stack
    "before": regex(r"but before$"),
}
_DETAILS = {
    # "Locks held: none", "Locks held: 2, at addresses 0x10C120 0x10C160"
    "held": regex(rf"Locks held: (?:none|\d{{1,6}}, at address(?:es)?(?P<locks>(?: {_HEX}\b)*))"),
    # "with error code 22 (EINVAL: Invalid argument)"
    "code": regex(r"with error code (?P<text>\d{1,6}(?: \([^()]{1,120}\))?)"),
    # "Lock at 0x111108 : no stacktrace for first observation"
    "unobserved": regex(rf"Lock at (?P<lock>{_HEX}) : no stacktrace for first observation"),
    "edge": regex(r"\((?P<text>the (?:start|end) of the thread)\)"),
}
# the headers of a report proper, before which threads and locks may be introduced
_MAIN = ("race", "order", "unlock", "call", "misuse")
_INTRODUCTION = ("announcement", "created", "root", "rule")
# what all the lines above have in common, to be quick with the lines that are none
_WORDS = regex(r"thread|Thread|lock|Lock|code|before|---")
_KINDS = (
    ("Exiting thread still holds", "exits-holding-locks"),
    ("Attempt to re-lock", "double-lock"),
    ("destroy of a locked", "destroy-locked-mutex"),
    ("containing a locked lock", "freed-memory-holds-lock"),
    ("an invalid lock", "invalid-mutex-access"),
    ("pthread_cond_", "cond-misuse"),
    ("condition variable", "cond-misuse"),
)
_OPENING = ("race", "order", "unlock", "call", "misuse", "created", "root", "lock", "announcement")
_LATER = regex(
    r"[Tt]hread #|conflicts with a previous|race during|was first observed|hg_inter|vgpreload_helgr"
)


class HelgrindGrammar:
    """What each of Helgrind's lines is, and the report that they make."""

    bare = False

    def token(self, body: str) -> Token | None:
        token = lines.shared(body)
        if token is not None or _WORDS.search(body) is None:
            return token
        for name, pattern in _SECTIONS.items():
            if match := pattern.search(body):
                return lines.found(Role.SECTION, name, match)
        for name, pattern in _DETAILS.items():
            if match := pattern.search(body):
                return lines.found(
                    Role.DETAIL, name, match, whole="none" in match[0] or name != "held"
                )
        return None

    def frame(self, token: Token) -> Frame:
        return lines.frame(token)

    def begins(self, draft: Draft, token: Token) -> bool:
        main = _main(draft)
        if token.name in _INTRODUCTION or token.name in _MAIN:
            return main is not None
        if token.name == "lock":
            return main is not None and main.name == "race"
        return token.name in ("previous", "after") and bool(draft.named("previous", "after"))

    def is_complete(self, draft: Draft) -> bool:
        main = _main(draft)
        if main is None or not lines.told_stacks(draft, "race", "previous", "created", "lock"):
            return False
        if main.name == "race":
            return _location(draft, main) is not None or (draft.ended and _is_paired(draft))
        if main.name == "order":
            return bool(_edges(draft, main)) and (draft.ended or bool(draft.named("lock")))
        stacks = [main.frames, *(section.frames for section in draft.named("acquired"))]
        return all(stacks) and (draft.ended or lines.ends_at_a_bottom(stacks[-1]))

    def report(self, draft: Draft, damage: set[Damage]) -> Report | None:
        main = _main(draft) or next(iter(draft.named("previous")), None)
        if main is None:
            return None
        edges = _edges(draft, main) if main.name == "order" else ()
        accesses = _acquisitions(edges) if edges else _accesses(draft, main)
        if not any(access.stack for access in accesses):
            return None
        return Report(
            "helgrind",
            _kind(main),
            accesses,
            _actors(draft, main, accesses),
            location=_location(draft, main),
            damage=tuple(sorted(damage)),
            locks=_locks(draft),
            cycle=edges,
            facts=_facts(draft, main),
        )


def _main(draft: Draft) -> Section | None:
    return next((s for s in draft.sections if s.name in _MAIN), None)


def _is_paired(draft: Draft) -> bool:
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
    """Memory accesses; for the misuse of a lock, who did it where."""
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


def _edges(draft: Draft, main: Section) -> tuple[Edge, ...]:
    """The order that was seen, and the one that was seen before it."""
    edges: list[Edge] = []
    held: Section | None = None
    if main.frames:  # before 3.8 the header has the stack of the order that was seen
        first, second = main.fields["first"], main.fields["second"]
        edges.append(Edge(second, first, _actor(main), tuple(main.frames)))
    for section in draft.sections:
        if section.name in ("observed", "required"):
            held = section
        elif section.name == "followed" and held is not None:
            actor = _actor(main) if held.name == "observed" else ""
            locks = held.fields["lock"], section.fields["lock"]
            edges.append(Edge(*locks, actor, tuple(section.frames), tuple(held.frames)))
            held = None
    return tuple(edges)


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


def _location(draft: Draft, main: Section) -> Location | None:
    """What was raced for; where a lock was misused, the lock."""
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
    """The variable that each lock is in, where Helgrind knows it."""
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


class HelgrindDialect(LineDialect):
    """Helgrind, with or without `==pid==` in front of its lines."""

    name = "helgrind"
    symbols = native
    anchors = (
        b"race during",
        b"Thread #",
        b"-Thread-Announcement-",
        b"conflicts with a previous",
        # the wrappers that stand in almost every stack, and in one word
        b"hg_intercepts.c",
        b"vgpreload_helgrind",
        # coloured word by word, or copied from a web page
        *(b"race\x1b[", b"race \x1b[", b"race\xc2\xa0during", b"race&nbsp;during"),
    )

    hints = (b"hread",)

    def column(self, text: str) -> int:
        if "hread" not in text and "Lock at" not in text:
            return -1
        matches = (_SECTIONS[name].search(text) for name in _OPENING)
        return next((match.start() for match in matches if match), -1)

    def remnant(self, text: str) -> bool:
        return _LATER.search(text) is not None

    def promises(self, ahead: bytes) -> bool:
        return b"0x" in ahead

    def starts(self, anchor: bytes) -> bool:
        return anchor not in (
            b"conflicts with a previous",
            b"hg_intercepts.c",
            b"vgpreload_helgrind",
        )

    def machine(self) -> LineMachine:
        return LineMachine(HelgrindGrammar())


DIALECT = HelgrindDialect()
