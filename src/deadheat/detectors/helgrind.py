"""Helgrind, Valgrind's lockset and happens-before checker.

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

A thread is announced once per run, before the first report that names it. Later reports do not show where it was
created. With `--history-level=none`, or if the history was lost, there is only one access. With `approx`, the other
access happened between two stacks, which are reported as facts.

## Kinds

`data-race`, `lock-order-inversion` with its cycle, `double-lock`, `unlock-unlocked-mutex` (also a mutex held by another
thread), `invalid-mutex-access`, `destroy-locked-mutex`, `exits-holding-locks`, `freed-memory-holds-lock`,
`cond-misuse`, `thread-api-error`.

Memcheck errors, suppressions and the summary are not reported.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from deadheat.detectors import find_site
from deadheat.detectors import valgrind_lines as lines
from deadheat.detectors.grammar_parser import (
    GrammarParser,
    LineRole,
    LineToken,
    ReportDraft,
    ReportSection,
    parse_intact,
    search_patterns,
)
from deadheat.model import Access, Actor, ActorState, LockEdge, Op, Report
from deadheat.symbols import native
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    from deadheat.model import Damage, Location

# sections that start the report itself; threads and locks may be introduced before
_REPORT_SECTIONS = ("race", "order", "unlock", "call", "misuse")
_KINDS = (
    ("Exiting thread still holds", "exits-holding-locks"),
    ("Attempt to re-lock", "double-lock"),
    ("destroy of a locked", "destroy-locked-mutex"),
    ("containing a locked lock", "freed-memory-holds-lock"),
    ("an invalid lock", "invalid-mutex-access"),
    ("pthread_cond_", "cond-misuse"),
    ("condition variable", "cond-misuse"),
)


def _main_section(draft: ReportDraft) -> ReportSection | None:
    """The section that starts the report itself."""
    return next((s for s in draft.sections if s.name in _REPORT_SECTIONS), None)


def _report_kind(main: ReportSection) -> str:
    if main.name in ("race", "previous"):
        return "data-race"
    if main.name == "order":
        return "lock-order-inversion"
    if main.name == "call":
        return "thread-api-error"
    default_kind = "unlock-unlocked-mutex" if main.name == "unlock" else "thread-api-error"
    return next((kind for phrase, kind in _KINDS if phrase in main.fields["text"]), default_kind)


def _actor_name(section: ReportSection) -> str:
    thread = section.fields.get("thread")
    return f"thread {thread}" if thread else ""


def _build_accesses(draft: ReportDraft, main: ReportSection) -> tuple[Access, ...]:
    """The memory accesses; for a misused lock, where it was misused."""
    sections = [main, *(s for s in draft.sections if s.name in ("previous", "acquired") and s is not main)]
    sections += [ReportSection("after", s.fields) for s in draft.find_sections("after")]
    return tuple(_build_access(section, main) for section in sections)


def _build_access(section: ReportSection, main: ReportSection) -> Access:
    size = section.fields.get("size")
    lock_lists = [token.fields.get("locks", "") for token in section.details if token.name == "held"]
    return Access(
        Op(section.fields.get("op", "unknown")),
        _actor_name(section) or _actor_name(main),
        section.stack,
        main.fields.get("address"),
        int(size) if size else None,
        tuple(" ".join(lock_lists).split()),
        find_site(section.stack),
    )


def _build_lock_edges(draft: ReportDraft, main: ReportSection) -> tuple[LockEdge, ...]:
    """The observed lock order, and the required one."""
    edges: list[LockEdge] = []
    held_section: ReportSection | None = None
    if main.frames:  # before Valgrind 3.8, the header has the stack of the observed order
        first, second = main.fields["first"], main.fields["second"]
        edges.append(LockEdge(second, first, _actor_name(main), main.stack))
    for section in draft.sections:
        if section.name in ("observed", "required"):
            held_section = section
        elif section.name == "followed" and held_section is not None:
            actor = _actor_name(main) if held_section.name == "observed" else ""
            locks = held_section.fields["lock"], section.fields["lock"]
            edges.append(LockEdge(*locks, actor, section.stack, held_section.stack))
            held_section = None
    return tuple(edges)


def _build_actors(draft: ReportDraft, main: ReportSection, accesses: tuple[Access, ...]) -> tuple[Actor, ...]:
    created = [Actor(_actor_name(s), created_at=s.stack) for s in draft.find_sections("created")]
    roots = [Actor(_actor_name(s), ActorState.MAIN) for s in draft.find_sections("root")]
    known = {actor.id: actor for actor in [Actor("thread #1", ActorState.MAIN), *created, *roots]}
    holder = main.fields.get("holder")
    names = [access.actor for access in accesses] + ([f"thread {holder}"] if holder else [])
    return tuple(known.get(name) or Actor(name) for name in dict.fromkeys(names) if name)


def _find_location(draft: ReportDraft, main: ReportSection) -> Location | None:
    """The memory of the race, or the misused lock."""
    expects_lock = main.name not in ("race", "previous", "order")
    below_lock = False
    for section in draft.sections:
        if section.name == "address" and below_lock is expects_lock:
            return lines.build_location(section, "thread #")
        below_lock = section.name == "lock"
    return None


def _report_facts(draft: ReportDraft, main: ReportSection) -> tuple[tuple[str, str], ...]:
    facts: list[tuple[str, str]] = []
    if "text" in main.fields:
        facts.append(("says", main.fields["text"].strip()))
    for section, next_section in itertools.pairwise(draft.sections):
        if section.name == "lock" and next_section.name == "address":
            # the variable that contains the lock, if known
            name = lines.build_location(next_section).name
            facts += [("lock names", f"{section.fields['lock']} {name}")] if name else []
    facts += [("error code", t.fields["text"]) for t in main.details if t.name == "code"]
    for section in [*draft.find_sections("after"), *draft.find_sections("before")]:
        boundary = next((t.fields["text"] for t in section.details if t.name == "edge"), "unknown")
        facts.append((f"other access {section.name}", lines.format_stack(section) or boundary))
    return lines.merge_facts(facts)


_HEX = lines.HEX
_THREAD = r"(?P<thread>#\d{1,9})"
_SECTION_PATTERNS = {
    # "Possible data race during write of size 8 at 0x10C080 by thread #1"
    "race": lazy_compile(
        r"Possible data race during (?P<op>read|write) of size (?P<size>\d{1,9})"
        rf" at (?P<address>{_HEX}) by thread {_THREAD}"
    ),
    # "This conflicts with a previous read of size 8 by thread #2"
    "previous": lazy_compile(
        rf"This conflicts with a previous (?P<op>read|write) of size (?P<size>\d{{1,9}}) by thread {_THREAD}"
    ),
    # "This conflicts with a previous access by thread #3, after"
    "after": lazy_compile(rf"This conflicts with a previous access by thread {_THREAD}, after"),
    # 'Thread #3: lock order "0x10C120 before 0x10C160" violated'
    "order": lazy_compile(rf'Thread {_THREAD}: lock order "(?P<first>{_HEX}) before (?P<second>{_HEX})" violated'),
    # "Observed (incorrect) order is: acquisition of lock at 0x10C160"
    "observed": lazy_compile(rf"Observed \(incorrect\) order is: acquisition of lock at (?P<lock>{_HEX})"),
    # "Required order was established by acquisition of lock at 0x10C120"
    "required": lazy_compile(rf"Required order was established by acquisition of lock at (?P<lock>{_HEX})"),
    # "followed by a later acquisition of lock at 0x10C120"
    "followed": lazy_compile(rf"followed by a later acquisition of lock at (?P<lock>{_HEX})"),
    # "Thread #2 unlocked lock at 0x10C1A0 currently held by thread #1"
    "unlock": lazy_compile(
        rf"Thread {_THREAD} unlocked (?P<text>(?:a not-locked lock|an invalid lock|lock)"
        rf" at (?P<lock>{_HEX})(?: currently held by thread (?P<holder>#\d{{1,9}}))?)"
    ),
    # "Thread #2's call to pthread_mutex_unlock failed"
    "call": lazy_compile(rf"Thread {_THREAD}'s call to (?P<text>[\w@.*]{{1,200}} failed)"),
    # "Thread #2: Exiting thread still holds 1 lock"
    "misuse": lazy_compile(
        rf"Thread {_THREAD}(?:: |(?= deallocated ))(?P<text>Exiting thread still holds \d{{1,9}} locks?"
        r"|Attempt to re-lock a non-recursive lock I already hold|Bug in libpthread: .{1,120}"
        r"|(?:pthread|sem)_[^\s:]{1,60}:? .{1,120}|condition variable .{1,80}"
        rf"| ?deallocated .{{1,60}} containing a locked lock)"
    ),
    # "Thread #2 was created"
    "created": lazy_compile(rf"Thread {_THREAD} was created"),
    # "Thread #1 is the program's root thread"
    "root": lazy_compile(rf"Thread {_THREAD} is the program's root thread"),
    # "Lock at 0x111108 was first observed"
    "lock": lazy_compile(rf"Lock at (?P<lock>{_HEX}) was first observed"),
    # "Lock was previously acquired"
    "acquired": lazy_compile(r"Lock was previously acquired"),
    "announcement": lazy_compile(r"---Thread-Announcement-{3,}"),
    "rule": lazy_compile(r"-{60,70}$"),
    # after "... after" and its stack
    "before": lazy_compile(r"but before$"),
}
_DETAIL_PATTERNS = {
    # "Locks held: none", "Locks held: 2, at addresses 0x10C120 0x10C160"
    "held": lazy_compile(rf"Locks held: (?:none|\d{{1,6}}, at address(?:es)?(?P<locks>(?: {_HEX}\b)*))"),
    # "with error code 22 (EINVAL: Invalid argument)"
    "code": lazy_compile(r"with error code (?P<text>\d{1,6}(?: \([^()]{1,120}\))?)"),
    # "Lock at 0x111108 : no stacktrace for first observation"
    "unobserved": lazy_compile(rf"Lock at (?P<lock>{_HEX}) : no stacktrace for first observation"),
    "edge": lazy_compile(r"\((?P<text>the (?:start|end) of the thread)\)"),
}
_INTRODUCTORY_SECTIONS = ("announcement", "created", "root", "rule")
# every line above contains one of these; skips other lines quickly
_COMMON_WORDS = lazy_compile(r"thread|Thread|lock|Lock|code|before|---")
_OPENING_SECTIONS = ("race", "order", "unlock", "call", "misuse", "created", "root", "lock", "announcement")
_REPORT_FRAGMENT = lazy_compile(
    r"[Tt]hread #|conflicts with a previous|race during|was first observed|hg_inter|vgpreload_helgr"
)

# frames; addresses; threads
_VOLATILE_NUMBERS = lazy_compile(rb"\n   (?:at|by) 0x[^\n]*|(?<= )0x(?P<address>[0-9A-Fa-f]+)\b|hread #(?P<actor>\d+)")
# a part of each line above, and of the first lines of other detectors
_CONTINUATION = lazy_compile(
    rb"0x|hread|[Ll]ocks? (?:held|at|was)|error code|but before|-{60}|declared at|in frame #"
    rb"|DATA RACE|goroutine|fatal error|KCSAN|Undefined"
)


class HelgrindDetector(lines.ValgrindDetector):
    """Helgrind, with or without `==pid==` prefixes."""

    name = "helgrind"
    display_name = "Helgrind"
    anchors = (
        *(b"race during", b"Thread #", b"-Thread-Announcement-", b"conflicts with a previous"),
        # wrappers, present in almost every stack; single words
        *(b"hg_intercepts.c", b"vgpreload_helgrind"),
        # colored word by word, or copied from a web page
        *(b"race\x1b[", b"race \x1b[", b"race\xc2\xa0during", b"race&nbsp;during"),
    )
    opening_literals = ("hread", "Lock at")
    opening_patterns = tuple(_SECTION_PATTERNS[name] for name in _OPENING_SECTIONS)
    fragment_pattern = _REPORT_FRAGMENT
    block_starts = (b"---Thread-Announcement---", b"Possible data race during ")
    block_continuation = _CONTINUATION
    volatile_numbers = _VOLATILE_NUMBERS

    def anchor_starts_report(self, anchor: bytes) -> bool:
        return anchor not in (b"conflicts with a previous", b"hg_intercepts.c", b"vgpreload_helgrind")

    def new_parser(self) -> GrammarParser:
        return GrammarParser(self)

    def parse_intact(self, text: str) -> Report | None:
        return parse_intact(self, f"{text}\n")  # a blank line ends it

    def parse_line(self, body: str) -> LineToken | None:
        token = lines.parse_shared_line(body)
        if token is not None or _COMMON_WORDS.search(body) is None:
            return token
        token = search_patterns(LineRole.SECTION, _SECTION_PATTERNS, body)
        token = token or search_patterns(LineRole.DETAIL, _DETAIL_PATTERNS, body)
        # a list of locks may continue on the next line
        is_list = token is not None and token.name == "held" and "none" not in body[token.start : token.end]
        return token._replace(is_complete=False) if token and is_list else token

    def starts_new_report(self, draft: ReportDraft, token: LineToken) -> bool:
        main = _main_section(draft)
        if token.name in _INTRODUCTORY_SECTIONS or token.name in _REPORT_SECTIONS:
            return main is not None
        if token.name == "lock":
            return main is not None and main.name == "race"
        return token.name in ("previous", "after") and bool(draft.find_sections("previous", "after"))

    def is_complete(self, draft: ReportDraft) -> bool:
        main = _main_section(draft)
        sections = draft.find_sections("race", "previous", "created", "lock")
        if main is None or not all(section.frames for section in sections):
            return False
        if main.name == "race":
            others = draft.find_sections("previous", "after")
            has_both_stacks = bool(others) and all(section.frames for section in others)
            return _find_location(draft, main) is not None or (draft.has_ended and has_both_stacks)
        if main.name == "order":
            return bool(_build_lock_edges(draft, main)) and (draft.has_ended or bool(draft.find_sections("lock")))
        return lines.has_complete_stacks(draft, main, "acquired")

    def build_report(self, draft: ReportDraft, damage: set[Damage]) -> Report | None:
        main = _main_section(draft) or next(iter(draft.find_sections("previous")), None)
        if main is None:
            return None
        cycle = _build_lock_edges(draft, main) if main.name == "order" else ()
        accesses = tuple(Access(Op.UNKNOWN, e.actor, e.stack, e.acquired, site=find_site(e.stack)) for e in cycle)
        accesses = accesses or _build_accesses(draft, main)
        if not any(access.stack for access in accesses):
            return None
        actors = _build_actors(draft, main, accesses)
        return Report(
            self.name,
            _report_kind(main),
            accesses,
            actors,
            location=_find_location(draft, main),
            test=native.find_native_test(accesses, actors),
            damage=tuple(sorted(damage)),
            locks=lines.build_locks(draft, "lock"),
            cycle=cycle,
            facts=_report_facts(draft, main),
        )


DETECTOR = HelgrindDetector()
