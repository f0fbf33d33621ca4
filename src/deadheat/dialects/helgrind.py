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

A thread is announced once per run, before the first report that names it. Later reports do not show
where it was created. With `--history-level=none`, or if the history was lost, there is only one
access. With `approx`, the other access happened between two stacks, which are reported as facts.

## Kinds

`data-race`, `lock-order-inversion` with its cycle, `double-lock`, `unlock-unlocked-mutex` (also a
mutex held by another thread), `invalid-mutex-access`, `destroy-locked-mutex`,
`exits-holding-locks`, `freed-memory-holds-lock`, `cond-misuse`, `thread-api-error`.

Memcheck errors, suppressions and the summary are not reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.dialects import helgrind_report as made
from deadheat.dialects import valgrind_lines as lines
from deadheat.dialects.line_grammar import Draft, Role, Token
from deadheat.dialects.line_machine import LineDialect, LineMachine
from deadheat.symbols import native
from deadheat.text.late import regex

if TYPE_CHECKING:
    from deadheat.model import Damage, Frame, Report

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
    # after "... after" and its stack
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
_INTRODUCTION = ("announcement", "created", "root", "rule")
# every line above contains one of these; skips other lines quickly
_WORDS = regex(r"thread|Thread|lock|Lock|code|before|---")
_OPENING = ("race", "order", "unlock", "call", "misuse", "created", "root", "lock", "announcement")
_LATER = regex(
    r"[Tt]hread #|conflicts with a previous|race during|was first observed|hg_inter|vgpreload_helgr"
)


class HelgrindGrammar:
    """The lines of a Helgrind report."""

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
        main = made.main_of(draft)
        if token.name in _INTRODUCTION or token.name in made.MAIN:
            return main is not None
        if token.name == "lock":
            return main is not None and main.name == "race"
        return token.name in ("previous", "after") and bool(draft.named("previous", "after"))

    def is_complete(self, draft: Draft) -> bool:
        main = made.main_of(draft)
        if main is None or not lines.told_stacks(draft, "race", "previous", "created", "lock"):
            return False
        if main.name == "race":
            return made.location(draft, main) is not None or (draft.ended and made.is_paired(draft))
        if main.name == "order":
            return bool(made.edges(draft, main)) and (draft.ended or bool(draft.named("lock")))
        stacks = [main.frames, *(section.frames for section in draft.named("acquired"))]
        return all(stacks) and (draft.ended or lines.ends_at_a_bottom(stacks[-1]))

    def report(self, draft: Draft, damage: set[Damage]) -> Report | None:
        return made.report(draft, damage)


class HelgrindDialect(LineDialect):
    """Helgrind, with or without `==pid==` prefixes."""

    name = "helgrind"
    called = "Helgrind"
    symbols = native
    anchors = (
        b"race during",
        b"Thread #",
        b"-Thread-Announcement-",
        b"conflicts with a previous",
        # wrappers, present in almost every stack; single words
        b"hg_intercepts.c",
        b"vgpreload_helgrind",
        # colored word by word, or copied from a web page
        *(b"race\x1b[", b"race \x1b[", b"race\xc2\xa0during", b"race&nbsp;during"),
    )

    hints = (b"hread",)
    folds = lines.FOLDS

    def column(self, text: str) -> int:
        if "hread" not in text and "Lock at" not in text:
            return -1
        matches = (_SECTIONS[name].search(text) for name in _OPENING)
        return next((match.start() for match in matches if match), -1)

    def remnant(self, text: str) -> bool:
        return _LATER.search(text) is not None

    def promises(self, ahead: bytes) -> bool:
        return lines.promises(ahead)

    def starts(self, anchor: bytes) -> bool:
        return anchor not in (
            b"conflicts with a previous",
            b"hg_intercepts.c",
            b"vgpreload_helgrind",
        )

    def machine(self) -> LineMachine:
        return LineMachine(HelgrindGrammar())


DIALECT = HelgrindDialect()
