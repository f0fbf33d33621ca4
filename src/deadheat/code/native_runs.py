"""Commands for programs in C, C++ and Rust, and for the kernel."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from deadheat.code.command import TIMES, Reproduction
from deadheat.model import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Frame, Report

# "__x64_sys_write", "__se_sys_openat", "__do_sys_bpf", "___sys_sendmsg", "ksys_read", "sys_close"
_CALL = re.compile(
    r"(?:__(?:x64|ia32|arm64|s390x?|riscv|se|do)_(?:compat_)?sys_|_{2,3}sys_|k?sys_)(\w{2,40})$"
)
# "reported on": "CPU: 1 PID: 2214 Comm: relayd Not tainted 6.1.0-rc4+ #7"
_TASK = re.compile(r"Comm: (\S{1,64})")
# "ledger::tests::shared", "it::adds::{closure#0}", "<shop::Cart>::add"
_RUST_TEST = re.compile(r"(?:\w{1,100}::)((?:\w{1,100}::){0,8}\w{1,100})(?:::\{closure#?\d*\})*$")
# "test::run_test", "test::__rust_begin_short_backtrace": the test harness of cargo
_HARNESS = re.compile(r"test::(?:run_test|__rust_begin_short_backtrace|test_main)\b")
# "src/bin/load.rs", "examples/pool.rs", "src/main.rs"
_TARGET = re.compile(r"(?:^|/)(?:src/bin|(examples))/(\w[\w-]{0,80})(?:/main)?\.rs$")
# "shop-1f3a9c0d2b": a test binary of cargo
_HASHED = re.compile(r"-[0-9a-f]{6,16}$")
_HOST = "--target \"$(rustc -vV | sed -n 's/^host: //p')\""


def sanitized(report: Report) -> Reproduction | None:
    """A program built with ThreadSanitizer."""
    if _is_rust(report):
        return _cargo(report)
    program = dict(report.facts).get("program")
    command = shlex.quote(f"./{program}") if program else "PROGRAM"
    lacks = [] if program else ["the report does not name the program (PROGRAM)"]
    lacks.append("the program must be built with -fsanitize=thread -g")
    if report.test and _is_googletest(report):
        filtered = f"{command} --gtest_filter={shlex.quote(report.test)} --gtest_repeat={TIMES}"
        return Reproduction("googletest", filtered, note=_sentence(lacks))
    lacks.append("its arguments are unknown")
    return Reproduction("program", command, note=_sentence(lacks), vague=not program)


def valgrind(report: Report) -> Reproduction | None:
    """A program run under Helgrind or DRD."""
    program = next((p for f in _frames(report) if (p := _object(f))), None)
    command = f"valgrind --tool={report.detector} {shlex.quote(program) if program else 'PROGRAM'}"
    lacks = [] if program else ["the frames do not name the program (PROGRAM)"]
    if report.test and _is_googletest(report):
        filtered = f"{command} --gtest_filter={shlex.quote(report.test)}"
        return Reproduction("googletest", filtered, note=_sentence(lacks))
    lacks.append("its arguments are unknown")
    return Reproduction("program", command, note=_sentence(lacks), vague=not program)


def _object(frame: Frame) -> str | None:
    """The program of a frame without symbols: `??? (in /home/ci/shop)`."""
    is_program = frame.line is None and frame.origin is Origin.USER and frame.path.startswith("/")
    return frame.path if is_program and ".so" not in frame.path and "." not in frame.file else None


def miri(report: Report) -> Reproduction | None:
    """A test or a program run in Miri."""
    seeds = f'MIRIFLAGS="-Zmiri-many-seeds=0..{TIMES}" cargo +nightly miri'
    if test := _rust_test(report):
        return Reproduction("cargo-miri", f"{seeds} test {test}")
    target = _rust_target(report)
    if target is not None:
        return Reproduction("cargo-miri", f"{seeds} run{target}")
    note = "the frames do not show which test or program ran"
    return Reproduction("cargo-miri", f"{seeds} test", note=_sentence([note]), vague=True)


def _cargo(report: Report) -> Reproduction:
    build = f"RUSTFLAGS=-Zsanitizer=thread cargo +nightly {{}} -Zbuild-std {_HOST}"
    if test := _rust_test(report):
        return Reproduction("cargo-test", f"{build.format('test')} {test}")
    target = _rust_target(report)
    if target is not None:
        return Reproduction("cargo-run", f"{build.format('run')}{target}")
    program = dict(report.facts).get("program", "")
    if _HASHED.search(program) or any(_HARNESS.search(f.function) for f in _frames(report)):
        note = "the frames do not show which test ran"
    else:
        note = "the frames do not show whether a test or a program ran"
    return Reproduction("cargo-test", build.format("test"), note=_sentence([note]), vague=True)


def kernel(report: Report) -> Reproduction | None:
    """A kernel with KCSAN, and the system calls that reach the racing code."""
    calls = list(dict.fromkeys(m[1] for f in _frames(report) if (m := _CALL.match(f.function))))
    told = _TASK.search(dict(report.facts).get("reported on", ""))
    lacks = ["the kernel must be built with CONFIG_KCSAN=y"]
    if calls:
        plural = "s" if len(calls) > 1 else ""
        lacks.append(
            f"the racing code is reached through the system call{plural} {', '.join(calls)}"
        )
    else:
        lacks.append("no system call is among the frames")
    if told:
        lacks.append(f"`{told[1]}` ran; its input is unknown")
    build = "scripts/config --enable KCSAN && make olddefconfig && make"
    return Reproduction("kcsan", build, note=_sentence(lacks), vague=True)


def _frames(report: Report) -> Iterator[Frame]:
    for stack in (*(a.stack for a in report.accesses), *(a.created_at for a in report.actors)):
        yield from stack


def _is_rust(report: Report) -> bool:
    return any(f.file.endswith(".rs") for f in _frames(report))


def _is_googletest(report: Report) -> bool:
    return any("_Test::TestBody(" in frame.function for frame in _frames(report))


def _rust_test(report: Report) -> str | None:
    """The test name for libtest, without the crate: `tests::shared`."""
    if report.test and (told := re.fullmatch(r"[\w:]{1,300}", report.test)):
        return told[0]
    for frame in _frames(report):
        is_test = "::tests::" in frame.function or frame.path.startswith("tests/")
        if is_test and frame.origin is Origin.USER and (name := _RUST_TEST.match(frame.function)):
            return name[1]
    return None


def _rust_target(report: Report) -> str | None:
    """The cargo option: `` for src/main.rs, ` --bin load`, ` --example pool`."""
    for frame in _frames(report):
        if not re.match(r"(?:\w{1,100}::)?main(?:::\{closure#?\d*\})*$", frame.function):
            continue
        if named := _TARGET.search(frame.path):
            return f" --{'example' if named[1] else 'bin'} {named[2]}"
        if frame.path.endswith("src/main.rs"):
            return ""
    return None


def _sentence(parts: list[str]) -> str | None:
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else None
