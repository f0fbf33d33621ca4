"""KCSAN: the races found are those in the titles of the kernel."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import deadheat
from deadheat.model import Origin
from deadheat.symbols import kernel
from tests.cases import SHARED, Case, all_cases

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.model import Sighting

CASES = {case.name: case for case in all_cases() if case.name.startswith("kcsan/")}
# "BUG: KCSAN: data-race in f [module] / g [module]", "BUG: KCSAN: assert: race in f+0x1/0x2"
TITLE = re.compile(
    r"KCSAN: (?:data-race|assert: race) in ([\w.]+)(?:\+0x\S+)?(?: \[\w+\])?"
    r"(?: / ([\w.]+)(?: \[\w+\])?)?"
)


def site_functions(sighting: Sighting) -> list[str]:
    return sorted(a.site.function for a in sighting.report.accesses if a.site)


def title_functions(text: str) -> list[list[str]]:
    """The functions in each title of a text."""
    return sorted(sorted(filter(None, match.groups())) for match in TITLE.finditer(text))


COMPLETE_CASES = [
    case for case in CASES.values() if not any(word in case.name for word in ("cut-off", "no-title", "as-its-subject"))
]


@pytest.mark.parametrize("case", COMPLETE_CASES, ids=lambda case: case.name)
def test_sites_are_the_functions_of_the_title(case: Case) -> None:
    text = "\n".join(line for line in case.raw.decode().split("\n") if "BUG: " in line)
    assert sorted(map(site_functions, case.sightings())) == title_functions(text)


def test_symbolised_and_raw_reports_are_one_race() -> None:
    names = (
        *("raw-symbols", "inlined-frames-are-not-blamed", "absolute-paths", "console-times"),
        *("syslog-of-the-kernel", "mail-with-a-margin", "no-title"),
    )
    marks = {s.verdict.fingerprint for name in names for s in CASES[f"kcsan/{name}"].sightings()}
    assert len(marks) == 1


def test_self_race_is_one_race_symbolised_or_not() -> None:
    raw = CASES["kcsan/raw-symbols"].raw.decode()
    raw = raw.replace("relay_account", "relay_note").replace("relay_flush_work", "relay_note")
    inlined = " __relay_do fs/relay/do.c:3 [inline]\n"
    symbolised = raw.replace(" relay_write_iter+0x91/0x240\n", f"{inlined} relay_write_iter+0x91/0x240 lib/w.c:4\n")
    symbolised = symbolised.replace(" relay_note+", f"{inlined} relay_note+")
    assert symbolised.count("[inline]") == 3
    (one,), (other,) = deadheat.scan(raw, diagnose=False), deadheat.scan(symbolised, diagnose=False)
    assert one.verdict.fingerprint == other.verdict.fingerprint


def test_wrapped_console_lines_stay_with_their_caller() -> None:
    (original,) = CASES["kcsan/console-times-and-callers"].sightings()
    lines = CASES["kcsan/console-times-and-callers"].raw.decode().split("\n")
    wrapped = "\n".join(line[:56] + "\n" + line[56:] if line[56:] else line for line in lines)
    (sighting,) = deadheat.scan(wrapped, diagnose=False)
    assert sighting.span.stream == original.span.stream == "T2214"
    assert sighting.verdict.fingerprint == original.verdict.fingerprint
    assert [a.site for a in sighting.report.accesses] == [a.site for a in original.report.accesses]


@pytest.mark.parametrize(
    ("function", "parent"),
    [
        ("netlink_recvmsg", "netlink_recvmsg"),
        ("poll_schedule_timeout.constprop.0", "poll_schedule_timeout"),
        ("count_event.part.0.isra.0", "count_event"),
        ("kcsan_report.cold", "kcsan_report"),
        ("do_thing.llvm.1203948", "do_thing"),
        (".cold_start", ".cold_start"),
    ],
)
def test_compiler_suffixes_are_stripped(function: str, parent: str) -> None:
    assert kernel.source_function(function) == parent
    assert kernel.source_function(parent) == parent


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("kernel/signal.c", "kernel/signal.c"),
        ("./include/linux/list.h", "include/linux/list.h"),
        ("/build/linux-6.1/fs/open.c", "fs/open.c"),
        ("/home/net/src/linux/drivers/net/tun.c", "drivers/net/tun.c"),
        ("/src/relay/main.c", "/src/relay/main.c"),
        ("", ""),
    ],
)
def test_files_are_relative_to_the_source_root(path: str, file: str) -> None:
    assert kernel.relative_path(path) == file


@pytest.mark.parametrize(
    ("function", "origin"),
    [
        ("__tsan_read8", Origin.RUNTIME),
        ("__write_once_size", Origin.RUNTIME),
        ("entry_SYSCALL_64_after_hwframe", Origin.RUNTIME),
        ("kthread", Origin.RUNTIME),
        ("kthread_stop", Origin.USER),
        ("kcsan_test_read", Origin.USER),
        ("kunit_try_run_case", Origin.TEST),
        ("netlink_recvmsg", Origin.USER),
    ],
)
def test_origin_of_a_frame(function: str, origin: Origin) -> None:
    assert kernel.find_origin(function) is origin


def sample_paths() -> list[Path]:
    return sorted((SHARED / "corpus" / "syzkaller").glob("*.txt"))


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the reports of another project")
def test_samples_of_syzkaller() -> None:
    """The functions in each file's title are the sites; negative samples give no race."""
    assert sample_paths()
    for path in sample_paths():
        head, _, text = path.read_text().partition("\n\n")
        sightings = deadheat.scan(text.partition("\nREPORT:")[0], diagnose=False)
        title = head.partition("\n")[0].removeprefix("TITLE: ")
        if path.name.startswith("negative-"):
            assert sightings == [], path.name
        elif "KCSAN" in title:
            assert [site_functions(s) for s in sightings] == title_functions(title), path.name
            assert not any(s.report.damage for s in sightings), path.name
        else:
            (sighting,) = sightings
            first = sighting.report.accesses[0].site
            assert first is not None
            assert (sighting.report.detector, first.function) == ("go", title[len("DATA RACE in ") :])
