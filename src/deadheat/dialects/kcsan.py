"""KCSAN, the Linux Kernel Concurrency Sanitizer.

## What it prints

    ==================================================================
    BUG: KCSAN: data-race in exit_signals / prepare_signal

    read to 0xffff888103566064 of 4 bytes by interrupt on cpu 0:
     sig_ignored kernel/signal.c:119 [inline]
     prepare_signal+0x1f5/0x790 kernel/signal.c:956
     send_sigqueue+0xc1/0x4b0 kernel/signal.c:1859

    write to 0xffff888103566064 of 4 bytes by task 4971 on cpu 1:
     exit_signals+0x13b/0x460 kernel/signal.c:2822
     do_exit+0x1a1/0x17e0 kernel/exit.c:825

    value changed: 0x00000000 -> 0x00000004

    Reported by Kernel Concurrency Sanitizer on:
    CPU: 1 PID: 4971 Comm: worker Not tainted 6.1.0 #1
    ==================================================================

A report has two accesses with size, task or interrupt, and stack. Files and lines are only present
if the log was symbolized. `(marked)` accesses are atomic. A `read-write` is reported as a write;
the printed wording is a fact if it says more than `read` or `write`. With `race at unknown origin`
there is one access, and the changed value is the evidence for the other. An `assert: race` (kind
`assert-race`) is a violated `ASSERT_EXCLUSIVE`; the asserting access has the operation `unknown`.
Kernels built with `CONFIG_KCSAN_VERBOSE` also print the locks held.

## Which function is the site

The site is the function that the kernel names in the title: the innermost frame that is neither
instrumentation nor inlined. A race has the same fingerprint whether its report is symbolized or
not. If a frame has several locations (`f (lib/a.c:1 lib/b.c:2)`, as `decode_stacktrace.sh` prints
inlined calls), the last one is its own; the others become frames `??`. Frames marked `?` are stale
and never the site. If a stack is missing, its function is taken from the title when only one is
left there.

## Damage that is tolerated

Prefixes of the console (with or without the caller), syslog and journal; foreign lines and other
kernel reports in between; lines that were wrapped or glued; a missing title, bar, footer or second
access. A report needs a header with a frame below it, or a title and its headers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.dialects import kcsan_grammar as lines
from deadheat.dialects.line_machine import LineDialect, LineMachine
from deadheat.model import Access, Actor, Damage, Frame, Lock, Op, Report
from deadheat.symbols import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.dialects import Machine
    from deadheat.dialects.line_grammar import Draft, Section, Token

_OPS = {"read": Op.READ, "write": Op.WRITE, "read-write": Op.WRITE}
_MARKED = {Op.READ: Op.ATOMIC_READ, Op.WRITE: Op.ATOMIC_WRITE}
_READS = {Op.READ, Op.ATOMIC_READ}
# raw bytes: an access header, and the title or a frame
_HEADERS = (b"bytes", b"task", b"interrupt", b"on cpu")
_FRAMES = (b"KCSAN", b"data-race", b"+0x", b"/0x", b".c:", b".h:", b".S:", b".s:", b".rs:", b".cc:")
_NEEDED = ((b"0x",), _HEADERS, _FRAMES)
_FACTS = ("value changed", "bits changed", "reordered to", "reported on", "hardware", "workqueue")


class KcsanGrammar:
    """The lines of a KCSAN report."""

    bare = False

    def token(self, body: str) -> Token | None:
        return lines.token(body)

    def frame(self, token: Token) -> Frame:
        told = token.fields
        path, line = told.get("path", ""), told.get("line")
        if "places" in told:
            path, line = list(_places(told["places"]))[-1]
        module = told.get("module") or told.get("module2") or ""
        number = int(line) if line and line != "?" else None
        frame = kernel.frame(told["function"], path, number, module)
        return frame._replace(stale="unsure" in told, inlined="inline" in told)

    def begins(self, draft: Draft, token: Token) -> bool:
        if token.name == "footer":
            return False
        if draft.named("footer") or (token.name == "other" and self.is_complete(draft)):
            return True
        known = draft.named("access")
        if token.name == "other" or not known:
            return token.name != "other" and bool(draft.sections)
        return len(known) > 1 or "unknown" in known[0].fields or not _overlap(known[0], token)

    def is_complete(self, draft: Draft) -> bool:
        known = draft.named("access")
        expected = 1 if known and "unknown" in known[0].fields else 2
        return len(known) == expected and all(section.frames for section in known)

    def report(self, draft: Draft, damage: set[Damage]) -> Report | None:
        known = draft.named("access")
        named = _named(draft.opening)
        actors = _actors(known)
        accesses = [_access(*side, named) for side in zip(known, actors, strict=True)]
        accesses = _with_title(accesses, named)
        if not any(access.site for access in accesses):
            return None
        if len(accesses) > 1 and {access.op for access in accesses} <= _READS:
            return None  # two reads do not race: the lines are from two reports
        if draft.opening is None:
            damage.add(Damage.NO_BANNER)
        if not draft.closed:
            damage.add(Damage.NO_BARS)
        asserted = any(section.fields["op"].startswith("assert") for section in known)
        return Report(
            DIALECT.name,
            "assert-race" if asserted else "data-race",
            tuple(accesses),
            tuple(Actor(actor) for actor in dict.fromkeys(actors)),
            damage=tuple(sorted(damage)),
            locks=tuple(dict.fromkeys(_locks(known))),
            facts=tuple(dict(_facts(draft, known)).items()),
        )


def _places(text: str) -> Iterator[tuple[str, str]]:
    """Path and line of each location: `lib/a.c:1 (discriminator 3) lib/b.c:2`."""
    for word in text.split(" "):
        path, colon, line = word.rpartition(":")
        if colon:
            yield path, line


def _overlap(section: Section, token: Token) -> bool:
    """Do two accesses overlap? Those of one report always do."""
    (a, size_a), (b, size_b) = (
        (int(fields["address"], 16), int(fields["size"]))
        for fields in (section.fields, token.fields)
    )
    return a < b + size_b and b < a + size_a


def _named(opening: dict[str, str] | None) -> list[str]:
    """The functions in the title, without offset and module."""
    told = [(opening or {}).get(key, "") for key in ("first", "second")]
    return [name.partition(" ")[0].partition("+")[0] for name in told if name]


def _access(section: Section, actor: str, named: list[str]) -> Access:
    told = section.fields
    op = _OPS.get(told["op"], Op.UNKNOWN)
    if "marked" in told.get("marks", ""):
        op = _MARKED.get(op, op)
    stack, own = _stack(section)
    site = next((f for f in own if f.function in named), next(iter(own), None))
    if site and (name := _broken(site.function, named)):
        whole = site._replace(function=name)
        stack, site = tuple(whole if f is site else f for f in stack), whole
    return Access(
        op,
        actor,
        stack,
        told["address"],
        int(told["size"]),
        tuple(lock.id for lock in _locks([section])),
        site,
    )


def _broken(function: str, named: list[str]) -> str:
    """The name in the title that ends with this function, whose line was wrapped within the name."""
    return "" if function in named else next((n for n in named if n.endswith(function)), "")


def _actors(known: list[Section]) -> list[str]:
    """The actors. Interrupts and idle tasks (always task 0) are distinguished by their CPU."""
    told = [section.fields for section in known]
    return [
        f"{t['actor']} on cpu {t['cpu']}" if t["actor"] in ("interrupt", "task 0") else t["actor"]
        for t in told
    ]


def _stack(section: Section) -> tuple[tuple[Frame, ...], list[Frame]]:
    """All frames, and those that the kernel can name in the title."""
    stack: list[Frame] = []
    own: list[Frame] = []
    for frame, token in zip(section.frames, section.tokens, strict=True):
        for path, line in list(_places(token.fields.get("places", "")))[:-1]:
            number = int(line) if line != "?" else None
            inner = kernel.frame("??", path, number, frame.package)
            stack.append(inner._replace(stale=frame.stale, inlined=True))
        stack.append(frame)
        if not (frame.inlined or frame.stale or kernel.is_instrumentation(frame.function)):
            own.append(frame)
    return tuple(stack), own


def _with_title(accesses: list[Access], named: list[str]) -> list[Access]:
    """Add a frame from the title to an access without a site, if it is unambiguous."""
    left = list(named)
    for access in accesses:
        if access.site and access.site.function in left:
            left.remove(access.site.function)
    lost = [access for access in accesses if access.site is None]
    if not lost or len(left) != len(lost) or len(set(left)) > 1:
        return accesses
    frame = kernel.frame(left[0])
    return [access if access.site else _placed(access, frame) for access in accesses]


def _placed(access: Access, frame: Frame) -> Access:
    stack = (frame, *access.stack)
    return Access(access.op, access.actor, stack, access.address, access.size, access.locks, frame)


def _locks(sections: Iterable[Section]) -> Iterator[Lock]:
    for section in sections:
        for token in section.details:
            if token.name == "lock":
                yield Lock(token.fields["lock"], f"0x{token.fields['address']}")


def _facts(draft: Draft, known: list[Section]) -> Iterator[tuple[str, str]]:
    for number, section in enumerate(known, 1):
        told = section.fields
        if told["op"] not in ("read", "write") or "marks" in told:
            marks = f" ({told['marks']})" if "marks" in told else ""
            yield f"access {number}", told["op"] + marks
        if told["actor"] not in ("interrupt", "task 0"):
            yield f"cpu of {told['actor']}", told["cpu"]
        if "unknown" in told:
            yield "other access", "of unknown origin"
    for section in draft.sections:
        for token in section.details:
            if token.name in _FACTS:
                yield token.name, token.fields["value"].strip()


class KcsanDialect(LineDialect):
    """KCSAN, as every kernel since 5.4 prints it."""

    name = "kcsan"
    called = "KCSAN"
    symbols = kernel
    # the first is a single word, so that colors and special spaces cannot split it
    anchors = (b"KCSAN", b"bytes by task", b"bytes by interrupt")
    hints = (b"KCSAN", b"bytes by")
    folds = lines.FOLDS

    def column(self, text: str) -> int:
        if "KCSAN" not in text and " to 0x" not in text:
            return -1
        match = lines.TITLE_BEGINS.search(text) or lines.ACCESS.search(text)
        return match.start() if match else -1

    def remnant(self, text: str) -> bool:
        return lines.REST_OF_HEADER.search(text) is not None

    def promises(self, ahead: bytes) -> bool:
        # wherever a line is wrapped, one literal of each group stays intact
        return all(any(word in ahead for word in words) for words in _NEEDED)

    def starts(self, anchor: bytes) -> bool:
        return anchor == b"KCSAN"

    def machine(self) -> Machine:
        return LineMachine(KcsanGrammar())


DIALECT = KcsanDialect()
