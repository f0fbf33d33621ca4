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

DRD knows one access. Of the other access it only knows the segment: the two events of its thread between which it
happened. The stacks of these events are reported as facts, not as an access. Accesses are `load` and `store`. A global
variable is identified by its section, and by its name if the program ran with `--read-var-info=yes`.

## Kinds

`data-race`, `double-lock`, `unlock-unlocked-mutex`, `invalid-mutex-access`, `destroy-locked-mutex`,
`exits-holding-locks`, `read-lock-of-write-locked-mutex`, `cond-misuse`, `thread-api-error` (barriers, semaphores).
Locks held longer than `--exclusive-threshold` are not reported.
"""

from __future__ import annotations

import re

from deadheat.detectors import find_site
from deadheat.detectors import valgrind_lines as lines
from deadheat.detectors.grammar_parser import (
    GrammarParser,
    LineRole,
    LineToken,
    ReportDraft,
    ReportSection,
    search_patterns,
)
from deadheat.model import Access, Actor, ActorState, Damage, Location, Op, Report
from deadheat.symbols import native
from deadheat.text import lazy_compile

_HEX = lines.HEX
_OBJECT_TYPE = r"(?P<thing>mutex|rwlock|cond|condition variable|barrier|semaphore)"
_SECTION_PATTERNS = {
    # "Conflicting store by thread 2 at 0x0010c080 size 8"
    "race": lazy_compile(
        r"Conflicting (?P<op>load|store) by thread (?P<thread>\d{1,9})"
        rf" at (?P<address>{_HEX}) size (?P<size>\d{{1,9}})"
    ),
    # "Mutex not locked: mutex 0x10c1a0, recursion count 0, owner 1."
    "misuse": lazy_compile(
        r"(?P<text>(?:[A-Z][a-z]|condition variable has|destruction of|not a |pthread_)"
        rf"[\w' ():-]{{5,100}}): {_OBJECT_TYPE} (?P<lock>{_HEX})"
        r"(?:, recursion count \d{1,9}, owner (?P<holder>\d{1,9}))?"
        rf"(?:,? (?:mutex|mutexes|and) {_HEX}){{0,3}}"
        r"(?: has been signaled but the associated mutex.{0,80}thread)?\.?"
    ),
    # "The object at address 0x10c120 is not a mutex."
    "invalid": lazy_compile(
        rf"(?P<text>The object at address (?P<lock>{_HEX}) is not a mutex(?=\.)|Not a reader-writer lock)\.?"
    ),
    # "mutex 0x10c1a0 was first observed at:"
    "observed": lazy_compile(rf"{_OBJECT_TYPE} (?P<lock>{_HEX}) was first observed at:"),
    # "Address 0x4d97c5c is at offset 12 from 0x4d97c50. Allocation context:"
    "block": lazy_compile(
        rf"Address (?P<address>{_HEX}) is at offset (?P<offset>-?\d{{1,18}}) from {_HEX}\. Allocation context:"
    ),
    # "Other segment start (thread 3)"
    "segment": lazy_compile(r"Other segment (?P<end>start|end) \(thread (?P<thread>\d{1,9})\)"),
    # "Conflicting wait call by thread 2:"
    "wait": lazy_compile(r"Conflicting wait call by thread (?P<thread>\d{1,9}):"),
}
_DETAIL_PATTERNS = {
    # "Allocation context: BSS section of /src/shop/shop", "Allocation context: unknown."
    "context": lazy_compile(r"Allocation context: (?:(?P<segment>\S{1,40}) section of (?P<of>\S{1,1000})|unknown\.)"),
    "finished": lazy_compile(r"\(thread finished, call stack no longer available\)"),
}
# "Thread 2:", "Thread 2 worker:"
_THREAD = lazy_compile(r"^Thread (?P<thread>\d{1,9})(?: [\w.:/-]{1,40})?:$")
_COMMON_WORDS = lazy_compile(r"hread|0x|reader-writer|Allocation")
_REPORT_SECTIONS = ("race", "misuse", "invalid")
_KINDS = (
    ("still locked", "exits-holding-locks"),
    ("Already locked for writing", "read-lock-of-write-locked-mutex"),
    ("Recursive", "double-lock"),
    ("locked recursively", "double-lock"),
    ("locked simultaneously", "double-lock"),
    ("Destroying locked", "destroy-locked-mutex"),
    ("not locked", "unlock-unlocked-mutex"),
)
_OP_BY_WORD = {"load": Op.READ, "store": Op.WRITE}
_REPORT_FRAGMENT = lazy_compile(
    r"Conflicting|Other segment|(?:mutex|rwlock|cond|variable|barrier|semaphore) 0x"
    r"|not a (?:mutex|reader-writer)|drd_pthread_inter|vgpreload_drd",
    re.IGNORECASE,
)


def _report_kind(main: ReportSection) -> str:
    if main.name == "race":
        return "data-race"
    if main.name == "invalid":
        return "invalid-mutex-access"
    if "cond" in main.fields["thing"]:
        return "cond-misuse"
    text = main.fields["text"]
    return next((kind for phrase, kind in _KINDS if phrase in text), "thread-api-error")


def _build_access(main: ReportSection, actor: str) -> Access:
    size = main.fields.get("size")
    return Access(
        _OP_BY_WORD.get(main.fields.get("op", ""), Op.UNKNOWN),
        actor,
        main.stack,
        main.fields.get("address"),
        int(size) if size else None,
        site=find_site(main.stack),
    )


def _find_location(draft: ReportDraft) -> Location | None:
    for section in draft.sections:
        if section.name == "address":
            return lines.build_location(section)
        if section.name == "block":
            address, offset = section.fields["address"], int(section.fields["offset"])
            return Location("heap", address=address, offset=offset, stack=section.stack)
        for token in section.details:
            if token.name == "context":
                kind = "global" if "segment" in token.fields else "unknown"
                return Location(kind, address=section.fields.get("address"))
    return None


def _report_facts(draft: ReportDraft, main: ReportSection) -> tuple[tuple[str, str], ...]:
    facts = [("says", main.fields["text"])] if "text" in main.fields else []
    for section in draft.sections:
        facts += [
            ("section", f"{token.fields['segment']} of {token.fields['of']}")
            for token in section.details
            if token.name == "context" and "segment" in token.fields
        ]
        if section.name == "segment":
            label = f"other segment {section.fields['end']}"
            facts.append((label, lines.format_stack(section) or "thread finished"))
        elif section.name == "wait":
            facts.append(("conflicting wait", lines.format_stack(section)))
    return lines.merge_facts(facts)


class DrdDetector(lines.ValgrindDetector):
    """DRD, with or without `==pid==` prefixes."""

    name = "drd"
    display_name = "DRD"
    # none starts a report, as the thread may be on the line before; the last ones are wrappers, in almost every stack
    anchors = (
        *(b"Conflicting", b"Other segment", b"mutex 0x"),
        *(b"drd_pthread_intercepts.c", b"vgpreload_drd", b"vgpreload\\_drd"),
    )
    opening_literals = (
        *("Conflicting", "mutex 0x", "rwlock 0x", "cond 0x", "variable 0x", "barrier 0x", "semaphore 0x"),
        *("not a mutex", "Not a reader-writer"),
    )
    opening_patterns = tuple(_SECTION_PATTERNS[name] for name in _REPORT_SECTIONS)
    fragment_pattern = _REPORT_FRAGMENT

    def new_parser(self) -> GrammarParser:
        return GrammarParser(self)

    def parse_line(self, body: str) -> LineToken | None:
        if body.startswith(("at 0x", "by 0x")) or _COMMON_WORDS.search(body) is None:
            return lines.parse_shared_line(body)
        token = search_patterns(LineRole.SECTION, _SECTION_PATTERNS, body)
        token = token or search_patterns(LineRole.DETAIL, _DETAIL_PATTERNS, body)
        return token or search_patterns(LineRole.OPENING, {"thread": _THREAD}, body) or lines.parse_shared_line(body)

    def starts_new_report(self, draft: ReportDraft, token: LineToken) -> bool:
        return token.name in _REPORT_SECTIONS and bool(draft.find_sections(*_REPORT_SECTIONS))

    def is_complete(self, draft: ReportDraft) -> bool:
        main = next(iter(draft.find_sections(*_REPORT_SECTIONS)), None)
        if main is None or not main.frames:
            return False
        if main.name == "race":
            return _find_location(draft) is not None
        return lines.has_complete_stacks(draft, main, "observed")

    def build_report(self, draft: ReportDraft, damage: set[Damage]) -> Report | None:
        main = next(iter(draft.find_sections(*_REPORT_SECTIONS)), None)
        if main is None or not main.frames:
            return None
        thread = main.fields.get("thread") or (draft.opening_fields or {}).get("thread")
        access = _build_access(main, f"thread {thread}" if thread else "")
        others = [s.fields["thread"] for s in draft.find_sections("segment", "wait")]
        others += [main.fields["holder"]] if main.fields.get("holder", "0") != "0" else []
        names = dict.fromkeys([access.actor, *(f"thread {other}" for other in others)])
        return Report(
            self.name,
            _report_kind(main),
            (access,),
            tuple(Actor(name, ActorState.MAIN if name == "thread 1" else ActorState.UNKNOWN) for name in names if name),
            location=_find_location(draft),
            test=native.find_native_test([access], ()),
            damage=tuple(sorted(damage)),
            locks=lines.build_locks(draft, "observed"),
            facts=_report_facts(draft, main),
        )


DETECTOR = DrdDetector()
