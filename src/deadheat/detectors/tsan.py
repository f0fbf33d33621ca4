"""ThreadSanitizer.

## What it prints

    ==================
    WARNING: ThreadSanitizer: data race (pid=12311)
      Write of size 4 at 0x7b0400000000 by thread T2 (mutexes: write M0):
        #0 shop::Cart::add(int) /src/shop/cart.cc:31:9 (shop+0xd4764) (BuildId: 797481433e87)

      Previous atomic read of size 4 at 0x7b0400000000 by main thread:
        #0 shop::Cart::total() const /src/shop/cart.cc:40:12 (shop+0xd4388) (BuildId: 797481433e87)

      Location is heap block of size 16 at 0x7b0400000000 allocated by main thread:
        #0 operator new(unsigned long) <null> (shop+0xd3386) (BuildId: 797481433e87)
        #1 main /src/shop/main.cc:9:16 (shop+0xd4441) (BuildId: 797481433e87)

      Mutex M0 (0x55b9a397d080) created at:
        #0 pthread_mutex_lock <null> (shop+0x533dd) (BuildId: 797481433e87)

      Thread T2 'worker' (tid=12313, running) created by main thread at:
        #0 pthread_create <null> (shop+0x533dd) (BuildId: 797481433e87)
        #1 main /src/shop/main.cc:12:3 (shop+0xd447f) (BuildId: 797481433e87)

    SUMMARY: ThreadSanitizer: data race /src/shop/cart.cc:31:9 in shop::Cart::add(int)
    ==================

gcc and clang print it for C, C++, Objective-C, Rust and Swift; gcc leaves out columns and build ids. A report has two
accesses with size, atomicity and locks held, the memory, and where the locks and the threads were created. Go's race
detector uses the same library but another format, and is a separate detector.

## Kinds

`data-race`, `data-race-on-vptr`, `data-race-on-swift-object`, `race-on-external-object`, `use-after-free`,
`use-after-free-on-vptr`, `lock-order-inversion`, `thread-leak`, `destroy-locked-mutex`, `double-lock`,
`invalid-mutex-access`, `unlock-unlocked-mutex`, `read-lock-of-write-locked-mutex`, `read-unlock-of-write-locked-mutex`,
`signal-unsafe-call`, `errno-in-signal`, `mutex-held-wrong-context`.

The name of any other kind is made from the words in the banner. A lock-order inversion is a cycle, with an edge and an
access for each lock that was acquired while another was held. For kinds without an access, the stack that misuses the
lock or creates the thread becomes an access with an unknown operation. A write by `free` or `operator delete` is a
`free`.

## Damage that is tolerated

Foreign lines anywhere, foreign text before or after any line, lines wrapped at a column or between words, missing blank
lines, indentation, bars and banner. Without a banner, the kind comes from the summary. Crashes of the runtime (`FATAL:
ThreadSanitizer`, `ThreadSanitizer:DEADLYSIGNAL`) are not reported.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from deadheat.detectors import Detector, JoinedLinePatterns, find_site, tsan_lines
from deadheat.detectors.grammar_parser import GrammarParser, parse_intact
from deadheat.model import Access, Actor, ActorState, Damage, Frame, Location, Lock, LockEdge, Op, Origin, Report
from deadheat.symbols import native
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.detectors.grammar_parser import LineToken, ReportDraft, ReportSection

_MAIN_THREAD = "main thread"
_OP_BY_WORD = {
    "read": Op.READ, "write": Op.WRITE, "atomic read": Op.ATOMIC_READ, "atomic write": Op.ATOMIC_WRITE,
    "modifying": Op.WRITE, "read-only": Op.READ,
}  # fmt: skip
# a write by one of these functions frees the block
_FREE_FUNCTION = lazy_compile(r"(?:c?free|realloc|operator delete(?:\[\])?|__rust_dealloc)(?:$|[(@])")
# kinds with two accesses
_TWO_ACCESS_KINDS = frozenset((
    "data-race", "data-race-on-vptr", "use-after-free", "use-after-free-on-vptr",
    "race-on-external-object", "data-race-on-swift-object",
))  # fmt: skip
_OTHER_STACK_SECTIONS = ("bare", "and", "signal", "lost")
# "M0 (0x55b9a397d080)"
_MUTEX = lazy_compile(r"(?P<id>M\d{1,19})(?: \((?P<address>[0-9a-fx]{1,18})\))?")

# "libstdc++.so.6", "libshop.dylib:arm64", "plugin.so", "shop.dll"
_LIBRARY_NAME = lazy_compile(r"\.(?:so|dylib|dll)\b")


def _find_kind(draft: ReportDraft) -> str | None:
    """The kind, from the banner, else from the summary, else from the sections."""
    if draft.opening_fields is not None:
        return tsan_lines.kind_from_banner(draft.opening_fields["what"])
    if draft.closing_fields and (summary_kind := tsan_lines.kind_from_summary(draft.closing_fields.get("what", ""))):
        return summary_kind
    if draft.find_sections("edge", "cycle"):
        return "lock-order-inversion"
    accesses = draft.find_sections("access")
    if not accesses:
        return None
    if any("Swift" in section.fields.get("object", "") for section in accesses):
        return "data-race-on-swift-object"
    return "race-on-external-object" if any("object" in section.fields for section in accesses) else "data-race"


def _is_previous_access(fields: dict[str, str]) -> bool:
    return fields.get("op", fields.get("external", "")).lower().startswith("previous")


def _has_failed_stack(section: ReportSection) -> bool:
    return any(token.name == "failed" for token in section.details)


def _has_stack(section: ReportSection) -> bool:
    needs_none = section.name in ("global", "area", "cycle") or "how" in section.fields
    return needs_none or bool(section.frames) or _has_failed_stack(section)


def _thread_sections(draft: ReportDraft) -> list[ReportSection]:
    return draft.find_sections("thread", "stackless")


def _build_accesses(draft: ReportDraft, kind: str) -> Iterable[Access]:
    sections = draft.find_sections("access")
    if sections or kind in _TWO_ACCESS_KINDS:
        return [_build_access(section) for section in _access_sections(draft)]
    if edges := draft.find_sections("edge"):
        return [_unknown_access(edge, edge.fields["actor"]) for edge in edges]
    if stacks := draft.find_sections(*_OTHER_STACK_SECTIONS):
        return [_unknown_access(section) for section in stacks if section.frames]
    return [_unknown_access(section, f"thread {section.fields['id']}") for section in _thread_sections(draft)]


def _access_sections(draft: ReportDraft) -> list[ReportSection]:
    """The sections of the accesses, including a stack without a header."""
    sections = list(takewhile(lambda s: s.name in ("access", "bare", "lost"), draft.sections))
    accesses = draft.find_sections("access")
    return sections if len(sections) <= 2 and all(section in sections for section in accesses) else accesses


def _build_access(section: ReportSection) -> Access:
    fields, stack = section.fields, section.stack
    word = fields.get("op", fields.get("external", "")).lower().removeprefix("previous ")
    op = _OP_BY_WORD.get(word, Op.UNKNOWN)
    return Access(
        Op.FREE if op is Op.WRITE and stack and _FREE_FUNCTION.match(stack[0].function) else op,
        fields.get("actor", ""),
        stack,
        fields.get("address"),
        int(fields["size"]) if "size" in fields else None,
        tuple(lock.strip() for lock in fields.get("locks", "").split(",") if lock.strip()),
        find_site(stack),
    )


def _unknown_access(section: ReportSection, actor: str = "") -> Access:
    return Access(Op.UNKNOWN, actor, section.stack, site=find_site(section.stack))


def _build_actors(draft: ReportDraft, accesses: tuple[Access, ...]) -> Iterable[Actor]:
    created = {f"thread {s.fields['id']}": s for s in _thread_sections(draft)}
    for name in dict.fromkeys([*(a.actor for a in accesses if a.actor), *created]):
        if name in created:
            yield Actor(name, ActorState(created[name].fields["state"]), created[name].stack)
        else:
            yield Actor(name, ActorState.MAIN if name == _MAIN_THREAD else ActorState.UNKNOWN)


def _build_location(draft: ReportDraft, accesses: tuple[Access, ...]) -> Location | None:
    for section in draft.find_sections("global", "heap", "area", "descriptor"):
        fields = section.fields
        address = fields.get("address")
        if address is not None and not int(address, 16):
            address = None  # a global unknown to the symbolizer
        accessed = next((access.address for access in accesses if access.address), None)
        object_name = fields.get("object", "heap block")
        name = native.readable_name(fields.get("name", "<null>"))
        return Location(
            fields["area"].lower() if section.name == "area" else section.name,
            name if name != "<null>" else None if object_name == "heap block" else object_name,
            address,
            int(fields["size"]) if "size" in fields else None,
            max(0, int(accessed, 16) - int(address, 16)) if accessed and address else None,
            fields.get("actor"),
            stack=section.stack,
        )
    return None


def _build_locks(draft: ReportDraft) -> list[Lock]:
    locks: dict[str, Lock] = {}
    for section in draft.find_sections("cycle"):
        for match in _MUTEX.finditer(section.fields["cycle"]):
            locks.setdefault(match["id"], Lock(match["id"], match["address"]))
    for section in draft.find_sections("mutex"):
        name = section.fields["lock"]
        locks[name] = Lock(name, section.fields.get("address"), section.stack)
    return list(locks.values())


def _lock_cycle(draft: ReportDraft) -> Iterable[LockEdge]:
    for i, section in enumerate(draft.sections):
        if section.name == "edge":
            held = next((s for s in draft.sections[i + 1 : i + 2] if s.name == "held"), None)
            fields = section.fields
            held_stack = held.stack if held else ()
            yield LockEdge(fields["held"], fields["lock"], fields["actor"], section.stack, held_stack)


def _program_name(draft: ReportDraft) -> str | None:
    """The program, from the module of the first user frame outside a library."""
    for section in draft.sections:
        for frame, token in zip(section.frames, section.frame_tokens, strict=False):
            name = token.fields["module"]
            # "exe" is from /proc/self/exe
            if frame.origin is Origin.USER and name not in ("", "exe") and not _LIBRARY_NAME.search(name):
                return name.partition(":")[0]
    return None


def _report_facts(draft: ReportDraft) -> Iterable[tuple[str, str]]:
    if draft.opening_fields and "pid" in draft.opening_fields:
        yield "pid", draft.opening_fields["pid"]
    if program := _program_name(draft):
        yield "program", program
    for section in draft.sections:
        yield from _section_facts(section)
    for token in [*draft.details, *(t for s in draft.sections for t in s.details)]:
        if token.name == "hint":
            yield "hint", token.fields["hint"]
        elif token.name == "destroyed":
            yield f"mutex {token.fields['lock']}", "already destroyed"
        elif token.name == "more":
            yield "similar thread leaks", token.fields["more"]


def _section_facts(section: ReportSection) -> Iterable[tuple[str, str]]:
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
    if section.name == "sleep" and (sleep_site := find_site(section.stack)) is not None:
        yield "as if synchronized via sleep", f"{sleep_site.function} {sleep_site.file}:{sleep_site.line}"


_OPENING_LINE = lazy_compile(
    rf"{tsan_lines.BANNER.pattern}|{tsan_lines.ACCESS_HEADER.pattern}|Cycle in lock order graph: M\d"
)
# a summary, which ends a report; the end of a wrapped header
_HEADER_FRAGMENT = lazy_compile(
    r"SUMMARY: ThreadSanitizer: |WARNING: ThreadSanitizer: [^\n]{0,100}$"
    r"|ThreadSanitizer: [^\n]{1,100}\(pid|by (?:main thread|thread T\d{1,9})"
)

# the starts of lines that were joined
_JOINED_LINES = JoinedLinePatterns(
    lazy_compile(
        r"(?P<end>)(?=WARNING: Thr|SUMMARY: Thr|={18}(?!=)|Location is |As if sync|Hint: |\[failed"
        r"|(?:Previous (?:atomic )?[a-z-]{4,9}|Atomic [a-z]{4,5}|Read|Write|Modifying|Read-only)"
        r" (?:of size|acc)|(?<!holding )(?<![Tt]hread )(?:Mutex M\d|Thread T\d{1,9} [^\n]{0,100}\(tid)"
        r"|(?<!\S)#\d{1,4}(?:$| (?!in )))"
    ),
    lazy_compile(
        r"(?:thread[^:\n]{0,200}|at):[^\w#]{0,40}#0 "
        r"|\(pid=\d{1,10}\)[^\w#]{0,40}"
        r"(?:#0 [^#\n]{1,300}?\+0x[0-9a-f]|[A-Z][a-z-]{3,8} (?:of|acc|order))"
    ),
)

# frames and the summary; the memory; accesses and mutexes; threads; the process
_VOLATILE_NUMBERS = lazy_compile(
    rb"\n(?:    #|SUMMARY: )[^\n]*|\n  Location is[^\n]* at 0x(?P<location>[0-9a-f]+)"
    rb"|(?: at | \()0x(?P<address>[0-9a-f]+)|hread T(?P<actor>\d+)|\((?:pid|tid)=(?P<process>\d+)"
)


class TsanDetector(Detector):
    """ThreadSanitizer, as gcc and clang print it."""

    name = "tsan"
    display_name = "ThreadSanitizer"
    symbols = native
    # single words, so that colors and special spaces cannot split them
    anchors = (b"ThreadSanitizer:", b" by thread T", b" by main thread", b"ThreadSanitizer</")
    hints = (b"hread",)
    opening_literals = ("ThreadSanitizer", " thread", "Cycle in")
    opening_patterns = (_OPENING_LINE,)
    fragment_pattern = _HEADER_FRAGMENT
    required_literals = ((b"#0", b"[failed", b"SUMMARY", b"#<"),)
    lookback_bytes = 1 << 14
    joined_lines = _JOINED_LINES
    allows_headerless_stack = True
    report_start = b"WARNING: ThreadSanitizer: "
    report_end = b"\n==================\n"
    volatile_numbers = _VOLATILE_NUMBERS

    def anchor_starts_report(self, anchor: bytes) -> bool:
        return anchor.startswith(b"ThreadSanitizer")

    def new_parser(self) -> GrammarParser:
        return GrammarParser(self)

    def parse_intact(self, text: str) -> Report | None:
        return parse_intact(self, text)

    def parse_line(self, body: str) -> LineToken | None:
        return tsan_lines.parse_line(body)

    def build_frame(self, token: LineToken) -> Frame:
        return tsan_lines.build_frame(token)

    def starts_new_report(self, draft: ReportDraft, token: LineToken) -> bool:
        if token.name not in ("cycle", "access"):
            return False
        if token.name == "cycle" or not _is_previous_access(token.fields):
            return bool(draft.sections)
        return any(_is_previous_access(section.fields) for section in draft.find_sections("access"))

    def is_complete(self, draft: ReportDraft) -> bool:
        """Does the draft have a summary, all stacks, and the creation of every accessing thread?"""
        if not draft.is_closed or not all(_has_stack(section) for section in draft.sections):
            return False
        if any(section.name == "lost" for section in draft.sections):
            return False
        kind = _find_kind(draft)
        if kind in _TWO_ACCESS_KINDS and len(draft.find_sections("access")) < 2:
            return False
        created = {section.fields["id"] for section in _thread_sections(draft)}
        actors = {s.fields["actor"] for s in draft.find_sections("access", "edge")} - {_MAIN_THREAD}
        return {actor.removeprefix("thread ") for actor in actors} <= created

    def build_report(self, draft: ReportDraft, damage: set[Damage]) -> Report | None:
        kind = _find_kind(draft)
        if kind is None:
            return None
        accesses = tuple(_build_accesses(draft, kind))
        sections = draft.find_sections("access")
        has_failed_stacks = bool(sections) and all(map(_has_failed_stack, sections))
        if not has_failed_stacks and not any(access.stack for access in accesses):
            return None
        if draft.opening_fields is None:
            damage.add(Damage.NO_BANNER)
        if any(_has_failed_stack(section) for section in draft.sections):
            damage.add(Damage.NO_STACK)
        actors = tuple(_build_actors(draft, accesses))
        return Report(
            self.name,
            kind,
            accesses,
            actors,
            _build_location(draft, accesses),
            native.find_native_test(accesses, actors),
            tuple(sorted(damage)),
            tuple(_build_locks(draft)),
            tuple(_lock_cycle(draft)),
            tuple(dict(_report_facts(draft)).items()),
        )


DETECTOR = TsanDetector()
