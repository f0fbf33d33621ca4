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

A report has two accesses with size, task or interrupt, and stack. Files and lines are only present if the log was
symbolized. `(marked)` accesses are atomic. A `read-write` is reported as a write; the printed wording is a fact if it
says more than `read` or `write`. With `race at unknown origin` there is one access, and the changed value is the
evidence for the other. An `assert: race` (kind `assert-race`) is a violated `ASSERT_EXCLUSIVE`; the asserting access
has the operation `unknown`. Kernels built with `CONFIG_KCSAN_VERBOSE` also print the locks held.

## Which function is the site

The site is the function that the kernel names in the title: the innermost frame that is neither instrumentation nor
inlined. A race has the same fingerprint whether its report is symbolized or not. If a frame has several locations (`f
(lib/a.c:1 lib/b.c:2)`, as `decode_stacktrace.sh` prints inlined calls), the last one is its own; the others become
frames `??`. Frames marked `?` are stale and never the site. If a stack is missing, its function is taken from the title
when only one is left there.

## Damage that is tolerated

Prefixes of the console (with or without the caller), syslog and journal; foreign lines and other kernel reports in
between; lines that were wrapped or glued; a missing title, bar, footer or second access. A report needs a header with a
frame below it, or a title and its headers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.detectors import Detector, JoinedLinePatterns
from deadheat.detectors.grammar_parser import GrammarParser, LineRole, LineToken, search_patterns, token_from_match
from deadheat.model import Access, Actor, Damage, Frame, Lock, Op, Report
from deadheat.symbols import kernel
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    from deadheat.detectors.grammar_parser import ReportDraft, ReportSection

# not the rest of a wrapped number: "x1a0"
_SYMBOL = r"(?!x[0-9a-f]{1,8}\b)[A-Za-z_.$][\w.$]{0,200}"
_OFFSET = r"\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8}"
_TITLE_FUNCTION = rf"(?:{_SYMBOL}|0x[0-9a-f]{{1,16}})(?:{_OFFSET})?(?: \[[\w-]{{1,64}}\])?"
# "BUG: KCSAN: data-race in netlink_recvmsg / netlink_recvmsg", "BUG: KCSAN: assert: race in f+0x6d/0x76"
_TITLE = lazy_compile(
    r"BUG: KCSAN: (?P<kind>data-race|assert: race)"
    rf"(?: in (?P<first>{_TITLE_FUNCTION})(?: / (?P<second>{_TITLE_FUNCTION})| /)?| in)?"
)
# the start of a title that may continue on the next line
_TITLE_START = lazy_compile(r"BUG: KCSAN:(?: (?:data-race|assert: race)|\s*$)")
# "write (marked) to 0xffff8881f257b5e0 of 8 bytes by interrupt on cpu 2:",
# "race at unknown origin, with read to 0xffff933db8a2ae6c of 1 bytes by task 7 on cpu 0:"
_ACCESS_HEADER = lazy_compile(
    r"(?P<unknown>race at unknown origin, with )?"
    r"(?<![\w-])(?P<op>read-write|read|write|assert no (?:writes|accesses))"
    r"(?: \((?P<marks>[a-z, ]{1,40})\))?"
    r" to (?P<address>0x[0-9a-f]{1,16}) of (?P<size>\d{1,9}) bytes"
    r" by (?P<actor>task [\w/.:-]{1,64}|interrupt) on cpu (?P<cpu>\d{1,5})(?P<end>:)?"
)
# a piece of a wrapped header: "of 8 bytes by task", "KCSAN: data-race in"
_HEADER_FRAGMENT = lazy_compile(r"bytes by (?:task|interrupt)|^\W*KCSAN: (?:data-race|assert)")
_FOOTER = lazy_compile(r"Reported by Kernel Concurrency Sanitizer on:?")
# 66 signs; in mail "=3D=3D=3D"
_BAR = lazy_compile(r"(?<!=)(?<!=3D)(?:=3D|=){40,}=?$|^(?:=3D|=){40,}")

# the starts of lines that were joined; functions in the title are not frames
_JOINED_LINES = JoinedLinePatterns(
    lazy_compile(
        r"(?P<end>)(?<! in )(?<! / )(?<!with )(?=BUG: KCSAN|={40}(?!=)|value changed: |Reported by Kern"
        r"|CPU: \d|Hardware name|race at unk"
        r"|(?:read-write|read|write|assert no \w{6,8})(?: \([a-z, ]+\))? to 0x"
        rf"|(?<=\W)(?<!\? )(?:\? )?{_SYMBOL}(?:{_OFFSET}"
        r"| [\w./+-]{1,200}\.[chS]:\d{1,6} \[inl| \([\w./+-]{1,200}\.[chS]:\d))"
    ),
    lazy_compile(rf"on cpu \d{{1,5}}:.{{0,90}}?\b(?:{_SYMBOL}{_OFFSET}|\.[chS]:\d)"),
)

_LINE_NUMBER = r"\d{1,6}(?!\d)"
_PATH = r"[^\s:()\[\]]{1,400}"
_LOCATION = rf"{_PATH}:(?:\d{{1,6}}|\?)(?: \(discriminator \d{{1,6}}\))?"
_LOCATIONS = rf"(?P<places>{_LOCATION}(?: {_LOCATION}){{0,30}})"
_MODULE = r"(?: \[(?P<module>[\w-]{1,64})(?: [0-9a-f]{8,64})?\])?"
_FRAME_PREFIX = r"(?<![\w.$/+])(?P<unsure>\? )?(?:\[<[0-9a-f]{1,16}>\] )?"
# "netlink_recvmsg+0x196/0x910", "prepare_signal+0x1f5/0x790 kernel/signal.c:956", "ext4_mark+0x1/0x2 [ext4]",
# "f+0x1/0x2 (lib/a.c:1 lib/b.c:2) [ext4]"
_FRAME_WITH_OFFSET = lazy_compile(
    rf"{_FRAME_PREFIX}(?P<function>{_SYMBOL}){_OFFSET}"
    rf"{_MODULE}(?: (?P<path>{_PATH}):(?P<line>{_LINE_NUMBER})(?P<inline> \[inline\])?"
    rf"| \({_LOCATIONS}\)(?: \[?(?P<module2>[\w-]{{1,64}})\]?$)?"
    # a location that continues on the next line
    r"|(?P<cut> \[?[\w./-]{0,400}:?=?$| \([\w./() :-]{0,2000}=?$))?"
)
# decode_stacktrace.sh: "rtl8169_poll (drivers/net/r8169.c:4397 drivers/net/r8169.c:4581) r8169"
_DECODED_FRAME = lazy_compile(
    rf"{_FRAME_PREFIX}(?P<function>{_SYMBOL}) \({_LOCATIONS}\)(?: \[?(?P<module>[\w-]{{1,64}})\]?$)?"
)
# "__run_hrtimer kernel/time/hrtimer.c:1685 [inline]", and the same without the mark
_SOURCE_LOCATION = rf"(?P<path>[\w./+-]{{1,400}}\.(?:c|h|S|s|rs|cc)):(?P<line>{_LINE_NUMBER})"
_INLINED_FRAME = lazy_compile(rf"{_FRAME_PREFIX}(?P<function>{_SYMBOL}) {_SOURCE_LOCATION}(?P<inline> \[inline\])")
_SOURCE_FRAME = lazy_compile(rf"{_FRAME_PREFIX}(?P<function>{_SYMBOL}) {_SOURCE_LOCATION}$")
# lines of an oops that are not frames: "RIP: 0010:f+0x1/0x2", "pc : f+0x1/0x2"
_NOT_A_FRAME = lazy_compile(r"(?:RIP|EIP|NIP|LR|PC|pc|lr|epc|ra)\b ?(?: is at|: ?|\[)|\bat: |\[k\]")

# the starts of other kernel reports, whose frames look the same
_OTHER_REPORT = lazy_compile(
    r"Call Trace:|Call trace:|(?<!-)-{8,}\[ cut here \]|Kernel panic - not syncing|BUG: (?!KCSAN)"
    r"|WARNING: (?:CPU: |possible |suspicious )|INFO: (?:task|rcu|lockdep) |Oops: |Modules linked in:"
)
_DETAIL_PATTERNS = {
    # "value changed: 0x00000000 -> 0x00000001"
    "value changed": lazy_compile(r"value changed: (?P<value>0x[0-9a-f]{1,16} -> 0x[0-9a-f]{1,16})"),
    # " bits changed: 0x00000001 with mask 0x0000000f"
    "bits changed": lazy_compile(r"bits changed: (?P<value>0x[0-9a-f]{1,16} with mask 0x[0-9a-f]{1,16})"),
    # "  +-> reordered to: e1000_xmit_frame+0x2294/0x2720"
    "reordered to": lazy_compile(r"\+?->\s{0,4}reordered to: (?P<value>\S.{0,300})"),
    # " #0: ffff8881035d4b60 (&sk->sk_lock){+.+.}-{0:0}, at: tcp_sendmsg+0x1c/0x40"
    "lock": lazy_compile(r"#\d{1,3}: (?P<address>[0-9a-f]{8,16}) \((?P<lock>.{1,200}?)\)\{"),
    # "CPU: 1 PID: 19789 Comm: syz-executor.0 Not tainted 5.4.0-rc6+ #0"
    "reported on": lazy_compile(r"(?P<value>CPU: \d{1,5} (?:UID: \d{1,10} )?PID: \d{1,10} Comm: .{1,300})"),
    "hardware": lazy_compile(r"Hardware name: (?P<value>.{1,300})"),
    "workqueue": lazy_compile(r"Workqueue: (?P<value>.{1,200})"),
    # ignored: number of locks held, state of interrupts, reasons for taint
    "furniture": lazy_compile(
        r"(?:\d{1,4} )?locks? held by |no locks held by |irq event stamp: |INFO: lockdep is turned off"
        r"|(?:hard|soft)irqs last +(?:en|dis)abled at |Tainted: \[|Stopper: |Sched_ext: |^\|$"
    ),
}


def _parse_title(match: re.Match[str], body: str) -> LineToken | None:
    if match.start() and match.end() < len(body):
        return None  # text on both sides: prose about a race
    continues = match.end() == len(body) and (match["second"] is None or body.endswith("/"))
    return token_from_match(LineRole.OPENING, "title", match, match["first"] is not None and not continues)


def _parse_detail(body: str) -> LineToken | None:
    if _might_be_detail(body) and (token := search_patterns(LineRole.DETAIL, _DETAIL_PATTERNS, body)):
        return token._replace(end=len(body))
    if _might_be_other_report(body) and (match := _OTHER_REPORT.search(body)):
        return LineToken(LineRole.SECTION, "other", {}, match.start(), len(body))
    return None


# Each of the lines above contains one of these words. A loop would be slower than the search that it avoids.


def _might_be_detail(body: str) -> bool:
    return (
        "changed: " in body or "reordered to: " in body or "){" in body or " Comm: " in body
        or "Hardware name: " in body or "Workqueue: " in body or "held by " in body or "irq" in body
        or "lockdep is" in body or "Tainted: " in body or "Stopper: " in body or "Sched_ext: " in body or body == "|"
    )  # fmt: skip


def _might_be_other_report(body: str) -> bool:
    return (
        "Call " in body or " cut here " in body or " panic " in body or "BUG: " in body or "WARNING: " in body
        or "INFO: " in body or "Oops: " in body or "Modules" in body
    )  # fmt: skip


def _parse_frame_line(body: str) -> LineToken | None:
    if "+0x" in body:
        match = _FRAME_WITH_OFFSET.search(body)
    elif ":" in body:
        match = _DECODED_FRAME.search(body) if " (" in body else None
        match = match or (_INLINED_FRAME.search(body) if " [inline]" in body else _SOURCE_FRAME.match(body))
    else:
        return None
    if match is None or _NOT_A_FRAME.search(body, 0, match.start("function")):
        return None
    token = token_from_match(LineRole.FRAME, "frame", match)
    # a location, a mark or the rest of a number may follow on the next line
    is_complete = "inline" in token.fields or "places" in token.fields or match.end() < len(body.rstrip(" ="))
    return token if is_complete else token._replace(is_complete=False)


_OP_BY_WORD = {"read": Op.READ, "write": Op.WRITE, "read-write": Op.WRITE}
_MARKED_OPS = {Op.READ: Op.ATOMIC_READ, Op.WRITE: Op.ATOMIC_WRITE}
_READ_OPS = {Op.READ, Op.ATOMIC_READ}
_SHARED_ACTORS = ("interrupt", "task 0")  # task 0 is the idle task of every CPU
_FACT_NAMES = ("value changed", "bits changed", "reordered to", "reported on", "hardware", "workqueue")


def _split_locations(text: str) -> Iterator[tuple[str, str]]:
    """Path and line of each location: `lib/a.c:1 (discriminator 3) lib/b.c:2`."""
    for part in text.split(" "):
        path, colon, line = part.rpartition(":")
        if colon:
            yield path, line


def _accesses_overlap(section: ReportSection, token: LineToken) -> bool:
    """Do two accesses overlap? Those of one report always do."""
    (a, size_a), (b, size_b) = ((int(f["address"], 16), int(f["size"])) for f in (section.fields, token.fields))
    return a < b + size_b and b < a + size_a


def _title_functions(opening: dict[str, str] | None) -> list[str]:
    """The functions in the title, without offset and module."""
    titles = [(opening or {}).get(key, "") for key in ("first", "second")]
    return [name.partition(" ")[0].partition("+")[0] for name in titles if name]


def _build_access(section: ReportSection, actor: str, title_functions: list[str]) -> Access:
    fields = section.fields
    op = _OP_BY_WORD.get(fields["op"], Op.UNKNOWN)
    if "marked" in fields.get("marks", ""):
        op = _MARKED_OPS.get(op, op)
    stack, candidates = _build_stack(section)
    site = next((f for f in candidates if f.function in title_functions), next(iter(candidates), None))
    if site and site.function not in title_functions:
        # the line of the frame may be wrapped within the name
        name = next((name for name in title_functions if name.endswith(site.function)), site.function)
        full_site = site._replace(function=name)
        stack, site = tuple(full_site if f is site else f for f in stack), full_site
    return Access(
        op,
        actor,
        stack,
        fields["address"],
        int(fields["size"]),
        tuple(lock.id for lock in _build_locks([section])),
        site,
    )


def _actor_names(access_sections: list[ReportSection]) -> list[str]:
    """The actors. Interrupts and idle tasks are distinguished by their CPU."""
    fields = [section.fields for section in access_sections]
    return [f"{f['actor']} on cpu {f['cpu']}" if f["actor"] in _SHARED_ACTORS else f["actor"] for f in fields]


def _build_stack(section: ReportSection) -> tuple[tuple[Frame, ...], list[Frame]]:
    """All frames, and those that the kernel can name in the title."""
    stack: list[Frame] = []
    candidates: list[Frame] = []
    for frame, token in zip(section.frames, section.frame_tokens, strict=True):
        for path, line in list(_split_locations(token.fields.get("places", "")))[:-1]:
            number = int(line) if line != "?" else None
            inner = kernel.make_frame("??", path, number, frame.package)
            stack.append(inner._replace(stale=frame.stale, inlined=True))
        stack.append(frame)
        if not (frame.inlined or frame.stale or kernel.is_instrumentation(frame.function)):
            candidates.append(frame)
    return tuple(stack), candidates


def _fill_from_title(accesses: list[Access], title_functions: list[str]) -> list[Access]:
    """Add a frame from the title to an access without a site, if it is unambiguous."""
    unassigned = list(title_functions)
    for access in accesses:
        if access.site and access.site.function in unassigned:
            unassigned.remove(access.site.function)
    without_site = [access for access in accesses if access.site is None]
    if not without_site or len(unassigned) != len(without_site) or len(set(unassigned)) > 1:
        return accesses
    frame = kernel.make_frame(unassigned[0])
    return [access if access.site else access._replace(stack=(frame, *access.stack), site=frame) for access in accesses]


def _build_locks(sections: Iterable[ReportSection]) -> Iterator[Lock]:
    for section in sections:
        for token in section.details:
            if token.name == "lock":
                yield Lock(token.fields["lock"], f"0x{token.fields['address']}")


def _report_facts(draft: ReportDraft, access_sections: list[ReportSection]) -> Iterator[tuple[str, str]]:
    for number, section in enumerate(access_sections, 1):
        fields = section.fields
        if fields["op"] not in ("read", "write") or "marks" in fields:
            marks = f" ({fields['marks']})" if "marks" in fields else ""
            yield f"access {number}", fields["op"] + marks
        if fields["actor"] not in _SHARED_ACTORS:
            yield f"cpu of {fields['actor']}", fields["cpu"]
        if "unknown" in fields:
            yield "other access", "of unknown origin"
    for section in draft.sections:
        for token in section.details:
            if token.name in _FACT_NAMES:
                yield token.name, token.fields["value"].strip()


class KcsanDetector(Detector):
    """KCSAN, as every kernel since 5.4 prints it."""

    name = "kcsan"
    display_name = "KCSAN"
    symbols = kernel
    # the first is a single word, so that colors and special spaces cannot split it
    anchors = (b"KCSAN", b"bytes by task", b"bytes by interrupt")
    hints = (b"KCSAN", b"bytes by")
    opening_literals = ("KCSAN", " to 0x")
    opening_patterns = (_TITLE_START, _ACCESS_HEADER)
    fragment_pattern = _HEADER_FRAGMENT
    # an access header, and the title or a frame
    required_literals = (
        (b"0x",),
        (b"bytes", b"task", b"interrupt", b"on cpu"),
        (b"KCSAN", b"data-race", b"+0x", b"/0x", b".c:", b".h:", b".S:", b".s:", b".rs:", b".cc:"),
    )
    joined_lines = _JOINED_LINES
    allows_headerless_stack = False

    def anchor_starts_report(self, anchor: bytes) -> bool:
        return anchor == b"KCSAN"

    def new_parser(self) -> GrammarParser:
        return GrammarParser(self)

    def parse_line(self, body: str) -> LineToken | None:
        if "KCSAN" in body and (match := _TITLE.search(body)):
            return _parse_title(match, body)
        if " to 0x" in body and (match := _ACCESS_HEADER.search(body)):
            is_prose = match.start() and match.end() < len(body)
            return None if is_prose else token_from_match(LineRole.SECTION, "access", match, match["end"] is not None)
        if "Reported by" in body and (match := _FOOTER.search(body)):
            return token_from_match(LineRole.SECTION, "footer", match)
        if not body.strip("=3D") and (match := _BAR.search(body)):
            return token_from_match(LineRole.CLOSING, "bar", match)
        return _parse_detail(body) or _parse_frame_line(body)

    def build_frame(self, token: LineToken) -> Frame:
        fields = token.fields
        path, line = fields.get("path", ""), fields.get("line")
        if "places" in fields:
            path, line = list(_split_locations(fields["places"]))[-1]
        module = fields.get("module") or fields.get("module2") or ""
        number = int(line) if line and line != "?" else None
        frame = kernel.make_frame(fields["function"], path, number, module)
        return frame._replace(stale="unsure" in fields, inlined="inline" in fields)

    def starts_new_report(self, draft: ReportDraft, token: LineToken) -> bool:
        if token.name == "footer":
            return False
        if draft.find_sections("footer") or (token.name == "other" and self.is_complete(draft)):
            return True
        access_sections = draft.find_sections("access")
        if token.name == "other" or not access_sections:
            return token.name != "other" and bool(draft.sections)
        return (
            len(access_sections) > 1
            or "unknown" in access_sections[0].fields
            or not _accesses_overlap(access_sections[0], token)
        )

    def is_complete(self, draft: ReportDraft) -> bool:
        access_sections = draft.find_sections("access")
        expected = 1 if access_sections and "unknown" in access_sections[0].fields else 2
        return len(access_sections) == expected and all(section.frames for section in access_sections)

    def build_report(self, draft: ReportDraft, damage: set[Damage]) -> Report | None:
        access_sections = draft.find_sections("access")
        title_functions = _title_functions(draft.opening_fields)
        actors = _actor_names(access_sections)
        pairs = zip(access_sections, actors, strict=True)
        accesses = [_build_access(section, actor, title_functions) for section, actor in pairs]
        accesses = _fill_from_title(accesses, title_functions)
        if not any(access.site for access in accesses):
            return None
        if len(accesses) > 1 and {access.op for access in accesses} <= _READ_OPS:
            return None  # two reads do not race: the lines are from two reports
        if draft.opening_fields is None:
            damage.add(Damage.NO_BANNER)
        if not draft.is_closed:
            damage.add(Damage.NO_BARS)
        asserted = any(section.fields["op"].startswith("assert") for section in access_sections)
        return Report(
            self.name,
            "assert-race" if asserted else "data-race",
            tuple(accesses),
            tuple(Actor(actor) for actor in dict.fromkeys(actors)),
            damage=tuple(sorted(damage)),
            locks=tuple(dict.fromkeys(_build_locks(access_sections))),
            facts=tuple(dict(_report_facts(draft, access_sections)).items()),
        )


DETECTOR = KcsanDetector()
