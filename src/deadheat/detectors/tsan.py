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

gcc and clang print it for C, C++, Objective-C, Rust and Swift; gcc leaves out columns and build
ids. A report has two accesses with size, atomicity and locks held, the memory, and where the locks
and the threads were created. Go's race detector uses the same library but another format, and is a
separate detector.

## Kinds

| after `WARNING: ThreadSanitizer:` | kind |
|---|---|
| data race | `data-race` |
| data race on vptr (ctor/dtor vs virtual call) | `data-race-on-vptr` |
| heap-use-after-free | `use-after-free` |
| heap-use-after-free (virtual call vs free) | `use-after-free-on-vptr` |
| race on external object, race on *library's type* | `race-on-external-object` |
| Swift access race | `data-race-on-swift-object` |
| lock-order-inversion (potential deadlock) | `lock-order-inversion` |
| thread leak | `thread-leak` |
| destroy of a locked mutex | `destroy-locked-mutex` |
| double lock of a mutex | `double-lock` |
| use of an invalid mutex | `invalid-mutex-access` |
| unlock of an unlocked mutex (or by a wrong thread) | `unlock-unlocked-mutex` |
| read lock of a write locked mutex | `read-lock-of-write-locked-mutex` |
| read unlock of a write locked mutex | `read-unlock-of-write-locked-mutex` |
| signal-unsafe call inside of a signal | `signal-unsafe-call` |
| signal handler spoils errno | `errno-in-signal` |
| mutex held in the wrong context | `mutex-held-wrong-context` |

The name of any other kind is made from the words in the banner. A lock-order inversion is a cycle,
with an edge and an access for each lock that was acquired while another was held. For kinds without
an access, the stack that misuses the lock or creates the thread becomes an access with an unknown
operation. A write by `free` or `operator delete` is a `free`.

## Damage that is tolerated

Foreign lines anywhere, foreign text before or after any line, lines wrapped at a column or between
words, missing blank lines, indentation, bars and banner. Without a banner, the kind comes from the
summary. Crashes of the runtime (`FATAL: ThreadSanitizer`, `ThreadSanitizer:DEADLYSIGNAL`) are not
reported.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from deadheat.detectors import JoinedLinePatterns, tsan_lines
from deadheat.detectors.grammar_parser import GrammarDetector, GrammarParser
from deadheat.detectors.site import find_native_test, find_site
from deadheat.model import Access, Actor, ActorState, Damage, Frame, Location, Lock, LockEdge, Op, Origin, Report
from deadheat.symbols import native
from deadheat.text.lazy_regex import lazy_compile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.detectors.grammar_parser import LineToken, ReportDraft, ReportSection


_MAIN_THREAD = "main thread"
_OP_BY_WORD = {
    "read": Op.READ,
    "write": Op.WRITE,
    "atomic read": Op.ATOMIC_READ,
    "atomic write": Op.ATOMIC_WRITE,
    "modifying": Op.WRITE,
    "read-only": Op.READ,
}
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
    swift = any("Swift" in section.fields.get("object", "") for section in accesses)
    external = any("object" in section.fields for section in accesses)
    return (
        "data-race-on-swift-object" if swift else
        "race-on-external-object" if external else "data-race"
    )  # fmt: skip


def _starts_new_report(draft: ReportDraft, token: LineToken) -> bool:
    """Does this section start another report?"""
    names = {section.name for section in draft.sections}
    if token.name == "cycle":
        return bool(names)
    if token.name != "access":
        return False
    previous = _is_previous_access(token.fields)
    if not previous:
        return bool(names)
    return any(_is_previous_access(section.fields) for section in draft.find_sections("access"))


def _is_complete(draft: ReportDraft) -> bool:
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


def _build_report(draft: ReportDraft, damage: set[Damage]) -> Report | None:
    """Return the report, or None without a kind or a stack."""
    kind = _find_kind(draft)
    if kind is None:
        return None
    accesses = tuple(_build_accesses(draft, kind))
    if not any(access.stack for access in accesses) and not _lacks_all_stacks(draft):
        return None
    if draft.opening_fields is None:
        damage.add(Damage.NO_BANNER)
    if any(_has_failed_stack(section) for section in draft.sections):
        damage.add(Damage.NO_STACK)
    actors = tuple(_build_actors(draft, accesses))
    return Report(
        "tsan",
        kind,
        accesses,
        actors,
        _build_location(draft, accesses),
        find_native_test(accesses, actors),
        tuple(sorted(damage)),
        tuple(_build_locks(draft)),
        tuple(_lock_cycle(draft)),
        tuple(dict(_report_facts(draft)).items()),
    )


def _is_previous_access(fields: dict[str, str]) -> bool:
    return fields.get("op", fields.get("external", "")).lower().startswith("previous")


def _has_failed_stack(section: ReportSection) -> bool:
    return any(token.name == "failed" for token in section.details)


def _has_stack(section: ReportSection) -> bool:
    if section.name in ("global", "area", "cycle"):
        return True
    return bool(section.frames) or _has_failed_stack(section) or "how" in section.fields


def _lacks_all_stacks(draft: ReportDraft) -> bool:
    accesses = draft.find_sections("access")
    return bool(accesses) and all(_has_failed_stack(section) for section in accesses)


def _thread_sections(draft: ReportDraft) -> list[ReportSection]:
    return draft.find_sections("thread", "stackless")


# -- accesses --------------------------------------------------------------------------------------


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
    fields, stack = section.fields, tuple(section.frames)
    return Access(
        _parse_op(fields, stack),
        fields.get("actor", ""),
        stack,
        fields.get("address"),
        int(fields["size"]) if "size" in fields else None,
        tuple(lock.strip() for lock in fields.get("locks", "").split(",") if lock.strip()),
        find_site(stack),
    )


def _parse_op(fields: dict[str, str], stack: tuple[Frame, ...]) -> Op:
    word = fields.get("op", fields.get("external", "")).lower().removeprefix("previous ")
    op = _OP_BY_WORD.get(word, Op.UNKNOWN)
    return Op.FREE if op is Op.WRITE and stack and _FREE_FUNCTION.match(stack[0].function) else op


def _unknown_access(section: ReportSection, actor: str = "") -> Access:
    stack = tuple(section.frames)
    return Access(Op.UNKNOWN, actor, stack, site=find_site(stack))


# -- actors, memory, locks -------------------------------------------------------------------------


def _build_actors(draft: ReportDraft, accesses: tuple[Access, ...]) -> Iterable[Actor]:
    created = {f"thread {s.fields['id']}": s for s in _thread_sections(draft)}
    for name in dict.fromkeys([*(a.actor for a in accesses if a.actor), *created]):
        section = created.get(name)
        state = ActorState.MAIN if name == _MAIN_THREAD else ActorState.UNKNOWN
        if section is None:
            yield Actor(name, state)
        else:
            yield Actor(name, ActorState(section.fields["state"]), tuple(section.frames))


def _build_location(draft: ReportDraft, accesses: tuple[Access, ...]) -> Location | None:
    for section in draft.find_sections("global", "heap", "area", "descriptor"):
        fields = section.fields
        address = fields.get("address")
        if address is not None and not int(address, 16):
            address = None  # a global unknown to the symbolizer
        object_name = fields.get("object", "heap block")
        name = native.readable_name(fields.get("name", "<null>"))
        return Location(
            fields["area"].lower() if section.name == "area" else section.name,
            name if name != "<null>" else None if object_name == "heap block" else object_name,
            address,
            int(fields["size"]) if "size" in fields else None,
            _offset_in_block(address, accesses),
            fields.get("actor"),
            stack=tuple(section.frames),
        )
    return None


def _offset_in_block(address: str | None, accesses: tuple[Access, ...]) -> int | None:
    accessed = next((access.address for access in accesses if access.address), None)
    if address is None or accessed is None:
        return None
    return max(0, int(accessed, 16) - int(address, 16))


def _build_locks(draft: ReportDraft) -> list[Lock]:
    locks: dict[str, Lock] = {}
    for section in draft.find_sections("cycle"):
        for match in _MUTEX.finditer(section.fields["cycle"]):
            locks.setdefault(match["id"], Lock(match["id"], match["address"]))
    for section in draft.find_sections("mutex"):
        name = section.fields["lock"]
        locks[name] = Lock(name, section.fields.get("address"), tuple(section.frames))
    return list(locks.values())


def _lock_cycle(draft: ReportDraft) -> Iterable[LockEdge]:
    for i, section in enumerate(draft.sections):
        if section.name == "edge":
            held = next((s for s in draft.sections[i + 1 : i + 2] if s.name == "held"), None)
            yield LockEdge(
                section.fields["held"],
                section.fields["lock"],
                section.fields["actor"],
                tuple(section.frames),
                tuple(held.frames) if held else (),
            )


# -- facts --------------------------------------------------------------------------------------


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
    if section.name == "sleep" and (sleep_site := find_site(tuple(section.frames))) is not None:
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
_REQUIRED_LITERALS = (b"#0", b"[failed", b"SUMMARY", b"#<")


class TsanGrammar:
    """The lines of a ThreadSanitizer report."""

    allows_headerless_stack = True

    def parse_line(self, body: str) -> LineToken | None:
        return tsan_lines.parse_line(body)

    def build_frame(self, token: LineToken) -> Frame:
        return tsan_lines.build_frame(token)

    def starts_new_report(self, draft: ReportDraft, token: LineToken) -> bool:
        return _starts_new_report(draft, token)

    def is_complete(self, draft: ReportDraft) -> bool:
        return _is_complete(draft)

    def build_report(self, draft: ReportDraft, damage: set[Damage]) -> Report | None:
        return _build_report(draft, damage)


class TsanDetector(GrammarDetector):
    """ThreadSanitizer, as gcc and clang print it."""

    name = "tsan"
    display_name = "ThreadSanitizer"
    opt_in = False
    symbols = native
    # single words, so that colors and special spaces cannot split them
    anchors = (b"ThreadSanitizer:", b" by thread T", b" by main thread", b"ThreadSanitizer</")
    hints = (b"hread",)
    lookback_bytes = 1 << 14
    joined_lines = _JOINED_LINES

    def find_opening(self, text: str) -> int:
        if "ThreadSanitizer" not in text and " thread" not in text and "Cycle in" not in text:
            return -1
        match = _OPENING_LINE.search(text)
        return match.start() if match else -1

    def is_fragment(self, text: str) -> bool:
        return _HEADER_FRAGMENT.search(text) is not None

    def might_contain(self, following: bytes) -> bool:
        return any(literal in following for literal in _REQUIRED_LITERALS)

    def anchor_starts_report(self, anchor: bytes) -> bool:
        return anchor.startswith(b"ThreadSanitizer")

    def new_parser(self) -> GrammarParser:
        return GrammarParser(TsanGrammar())


DETECTOR = TsanDetector()
