"""Check a text of ThreadSanitizer, Helgrind or DRD against truth.json, without deadheat's parsers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

# WARNING: ThreadSanitizer: data race (pid=123)
TSAN_START = re.compile(r"^WARNING: ThreadSanitizer: (.{1,200}) \(pid=\d{1,9}\)$", re.MULTILINE)
# ==123== -----------------------------------------------------------------
SEPARATOR = re.compile(r"^==\d{1,9}== (-{60,70}|---Thread-Announcement-{40,44})$", re.MULTILINE)
# ==123== (nothing after it)
EMPTY_LINE = re.compile(r"^==\d{1,9}== *\n", re.MULTILINE)

#     #0 cart_add /src/shop/cart.c:9 (shop+0x11)  or  ==123==    at 0x10917D: cart_add (cart.c:9)
STACK_START = re.compile(r"^ {1,6}#0 |^==\d{1,9}== {2,6}at 0x")
#   Location is global 'x' of size 4 at 0x10 (shop+0x10)  or  ==123==  Address 0x10 is 0 bytes inside
CONTEXT_START = re.compile(
    r"^(?:  (?:Location is |Mutex M\d+ \(0x\w+\) created|Thread T\d+ |As if )"
    r"|==\d+== +(?:Address 0x|Location 0x|Allocation context|Other segment|.* was first observed))",
    re.MULTILINE,
)
# \x1b[1m\x1b[31mWARNING: ThreadSanitizer: data race (pid=123)
COLOUR = re.compile(r"\x1b\[\d{0,3}m")
# ==00:00:00:01.505 123== (with --time-stamp=yes)
STAMP = re.compile(r"^==\d\d:\d\d:\d\d:\d\d\.\d{3} ", re.MULTILINE)

TSAN = {
    "data race": "data-race",
    "data race on vptr (ctor/dtor vs virtual call)": "data-race-on-vptr",
    "heap-use-after-free": "use-after-free",
    "heap-use-after-free (virtual call vs free)": "use-after-free",
    "thread leak": "thread-leak",
    "destroy of a locked mutex": "destroy-locked-mutex",
    "double lock of a mutex": "double-lock",
    "unlock of an unlocked mutex (or by a wrong thread)": "unlock-unlocked-mutex",
    "read lock of a write locked mutex": "read-lock-of-write-locked-mutex",
    "read unlock of a write locked mutex": "read-unlock-of-write-locked-mutex",
    "use of an invalid mutex (e.g. uninitialized or destroyed)": "invalid-mutex-access",
    "signal-unsafe call inside of a signal": "signal-unsafe-call",
    "signal handler spoils errno": "errno-in-signal",
    "lock-order-inversion (potential deadlock)": "lock-order-inversion",
    "mutex held in the wrong context": "mutex-held-wrong-context",
    "Swift access race": "race-on-external-object",
}
HELGRIND = (
    ("Possible data race during", "data-race"),
    ('lock order "', "lock-order-inversion"),
    ("Attempt to re-lock a non-recursive lock", "double-lock"),
    ("unlocked a not-locked lock", "unlock-unlocked-mutex"),
    ("unlocked an invalid lock", "invalid-mutex-access"),
    (" currently held by thread #", "unlock-unlocked-mutex"),
    ("Exiting thread still holds", "exits-holding-locks"),
    ("pthread_mutex_destroy of a locked mutex", "destroy-locked-mutex"),
    ("'s call to ", "thread-api-error"),
    (": pthread_cond_", "cond-misuse"),
    (": pthread_", "thread-api-error"),
)
DRD = (
    ("Conflicting load by", "data-race"),
    ("Conflicting store by", "data-race"),
    ("Recursive locking not allowed", "double-lock"),
    ("Mutex not locked", "unlock-unlocked-mutex"),
    ("Destroying locked mutex", "destroy-locked-mutex"),
    ("Reader-writer lock not locked", "unlock-unlocked-mutex"),
    ("Already locked for writing by calling thread", "read-lock-of-write-locked-mutex"),
    ("The object at address", "invalid-mutex-access"),
    ("Mutex still locked at thread exit", "exits-holding-locks"),
    ("ondition variable", "cond-misuse"),
    ("pthread_barrier_init: ", "thread-api-error"),
)


def report_format(label: str) -> str:
    """The report format of a label: `tsan` for `clang19-o2`."""
    tool = label.split("-", maxsplit=1)[0]
    return tool if tool in ("helgrind", "drd", "memcheck") else "tsan"


def expected_reports(truth: dict[str, Any], label: str) -> list[dict[str, Any]] | None:
    """The expected reports of a recording: by its label, by a prefix of it, or by its format."""
    parts = label.split("-")
    keys = ["-".join(parts[:size]) for size in range(len(parts), 0, -1)]
    reports: dict[str, list[dict[str, Any]] | None] = truth["reports"]
    return next((reports[key] for key in [*keys, report_format(label)] if key in reports), None)


def kind_of_block(block: str, table: Sequence[tuple[str, str]]) -> str:
    """The kind of a block: that of the first phrase of a table that it contains."""
    return next((kind for phrase, kind in table if phrase in block), "")


def tsan_blocks(text: str) -> list[tuple[str, str]]:
    """Split ThreadSanitizer's output into reports with their kinds."""
    starts = [*TSAN_START.finditer(text)]
    ends = [one.start() for one in starts][1:] + [len(text)] * bool(starts)
    kinds = [TSAN.get(one[1], "race-on-external-object" if one[1].startswith("race on ") else "") for one in starts]
    return [(kind, text[one.start() : end]) for kind, one, end in zip(kinds, starts, ends, strict=True)]


def helgrind_blocks(text: str) -> list[str]:
    """Split Helgrind's output at its separators; a thread announcement is no report."""
    parts = SEPARATOR.split(text)[1:]
    return [block for rule, block in zip(parts[::2], parts[1::2], strict=True) if "Thread" not in rule]


def split_reports(text: str, label: str) -> list[tuple[str, str]]:
    """Split a recorded text into reports with their kinds; an unknown kind is empty."""
    if report_format(label) == "tsan":
        return tsan_blocks(text)
    if report_format(label) == "helgrind":
        return [(kind_of_block(block, HELGRIND), block) for block in helgrind_blocks(text)]
    if report_format(label) == "memcheck":
        return []
    found = [(kind_of_block(block, DRD), block) for block in EMPTY_LINE.split(text)]
    return [(kind, block) for kind, block in found if kind]


def count_printed_errors(text: str, label: str) -> int:
    """The number of reports by the detector's banners or by its summary."""
    if report_format(label) == "memcheck":
        return 0
    if report_format(label) == "tsan":
        return len(re.findall(r"^WARNING: ThreadSanitizer: ", text, re.MULTILINE))
    sums = re.findall(r"^==\d+== ERROR SUMMARY: \d+ errors from (\d+) contexts", text, re.MULTILINE)
    return sum(map(int, sums)) if sums else len(split_reports(text, label))


def innermost_frames(block: str, files: Sequence[str]) -> list[tuple[str, str]]:
    """The innermost frame of each stack in the program's files: text before the location, and location."""
    stacks: list[list[str]] = []
    for line in block.splitlines():
        if STACK_START.search(line):
            stacks.append([])
        if stacks:
            stacks[-1].append(line)
    own_file = re.compile(rf"^(.*?)[ (/]((?:{'|'.join(map(re.escape, files))}):\d+)\b")
    firsts = (next(filter(None, map(own_file.match, stack)), None) for stack in stacks)
    return [(one[1], one[2]) for one in firsts if one]


def access_part(kind: str, block: str) -> str:
    """The part of a report with the accesses, without the origin of memory, locks and threads."""
    start = max(block.find("Possible data race"), 0)
    context = None if kind == "thread-leak" else CONTEXT_START.search(block, start)
    return block[start : context.start() if context else len(block)]


def function_base_name(site: dict[str, Any]) -> str:
    """The last part of a function's name, which every detector prints."""
    return str(site["function"]).rsplit("::", maxsplit=1)[-1]


def has_sites(text: str, sites: Sequence[dict[str, Any]], shown: int, files: Sequence[str]) -> bool:
    """Whether a text has at least `shown` of the sites."""
    frames, found = innermost_frames(text, files), 0
    for site in sites:
        spot = f"{Path(site['file']).name}:{site['line']}"
        hit = next((one for one in frames if one[1] == spot and function_base_name(site) in one[0]), None)
        if hit:
            frames.remove(hit)
            found += 1
    return found >= shown


def location_pattern(place: dict[str, Any], label: str) -> str:
    """The regular expression of a location line."""
    kind, name = place["kind"], re.escape(str(place.get("name") or ""))
    if report_format(label) == "tsan":
        forms = {
            "global": f"global '{name}'" if name else "global '",
            "heap": rf"(?:heap block|{name or '-'}) of size",
            "stack": "stack of",
            "tls": "TLS of",
        }
        return "Location is " + (forms.get(kind) or rf"(?:file descriptor|{name})")
    if report_format(label) == "helgrind":
        forms = {
            "global": rf'(?:data symbol|declared at|var|inside) "?{name}',
            "heap": "inside a block of size",
            "stack": rf"stack|inside {name or '-'},",
        }
        return forms[kind]
    return {"global": r"(?:BSS|Data|\.data|\.bss) section|global var", "heap": "is at offset", "stack": "stack"}[kind]


def matches_report(kind: str, block: str, report: dict[str, Any], truth: dict[str, Any], label: str) -> bool:
    """Whether a block is the expected report."""
    if kind != report["kind"]:
        return False
    if label in truth.get("no_lines", []):
        named = sum(function_base_name(site) in access_part(kind, block) for site in report["sites"])
        nameless = label in truth.get("no_names", [])
        return nameless or named >= report.get("shown", len(report["sites"]))
    files = [Path(one).name for one in [*truth["sources"], *truth.get("headers", [])]]
    pairs = report.get("pairs", [report["sites"]])
    place = report.get("location")
    placed = place is None or re.search(location_pattern(place, label), block) is not None
    return placed and any(
        has_sites(access_part(kind, block), pair, report.get("shown", len(pair)), files) for pair in pairs
    )


def strip_decoration(text: str) -> str:
    """Remove colours and Valgrind's time stamps."""
    return STAMP.sub("==", COLOUR.sub("", text))


def missing_content(recorded: str, truth: dict[str, Any], label: str) -> list[str]:
    """The expected reports that a recorded text does not have, and its unexpected reports."""
    text = strip_decoration(recorded)
    wanted = expected_reports(truth, label) or []
    found = split_reports(text, label)
    missing = [one for one in truth.get("expect", {}).get(label, []) if not re.search(one, text)]
    if len(found) != count_printed_errors(text, label):
        missing.append(f"{count_printed_errors(text, label)} reports instead of {len(found)}")
    for report in wanted:
        if not report.get("optional") and not any(matches_report(*one, report, truth, label) for one in found):
            missing.append(f"{report['kind']} on {report.get('variable')}")
    for kind, block in found:
        if not any(matches_report(kind, block, report, truth, label) for report in wanted):
            missing.append(f"a truth for {kind or 'the unknown kind'}: {block.strip()[:120]!r}")
    return missing
