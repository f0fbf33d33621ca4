"""Build the racy C, C++ and Rust programs of the corpus, run each under its detectors, record the text.

    python -m corpus.record_c                                # all programs, every installed tool
    python -m corpus.record_c cart-global --only helgrind drd-varinfo
    python -m corpus.record_c --check                        # runs nothing, checks what is recorded
    python -m corpus.record_c --folder DIR                   # an unpacked set, which is not packed afterwards

Debian has the tools: gcc g++ clang clang-19 llvm llvm-19 valgrind valgrind-dbg libc6-dbg. Rust needs a
nightly toolchain of rustup. A tool that is not installed is left out. A program's folder holds its
sources, `truth.json` (see docs/corpus.md) and `recorded/<label>.txt`; a label is the tool, then a
word for another way to build or run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus import store
from corpus.truth_c import expected, missing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHOWN_WORK = "/src/shop"
SECONDS = 120
TRIES = 6
LANGUAGES = {".c": "c", ".cc": "c++", ".rs": "rust"}
COMPILERS = {
    "gcc": {"c": "gcc", "c++": "g++"},
    "clang": {"c": "clang", "c++": "clang++"},
    "clang19": {"c": "clang-19", "c++": "clang++-19"},
    "rustc": {"rust": "rustc"},
    "helgrind": {"c": "gcc", "c++": "g++"},
    "drd": {"c": "gcc", "c++": "g++"},
    "memcheck": {"c": "gcc", "c++": "g++"},
}
SYMBOLIZERS = {"clang": "llvm-symbolizer", "clang19": "llvm-symbolizer-19", "rustc": "llvm-symbolizer-19"}
VALGRIND = ("helgrind", "drd", "memcheck")
VALGRIND_LIB = Path("/usr/libexec/valgrind")


@dataclass(frozen=True)
class Task:
    """One program, built and run in one way."""

    program: Path
    label: str
    truth: dict[str, Any]
    variant: dict[str, Any] = field(default_factory=dict)

    @property
    def tool(self) -> str:
        """The detector: the label's first word."""
        return self.label.split("-", maxsplit=1)[0]

    @property
    def output(self) -> Path:
        """The file that keeps the text."""
        return self.program / "recorded" / f"{self.label}.txt"

    def option(self, name: str, default: list[str]) -> list[str]:
        """Return the variant's list, else the program's, else the default."""
        found: list[str] = self.variant.get(name, self.truth.get(name, default))
        return found


def language(truth: dict[str, Any]) -> str:
    """Tell the language by the first source."""
    return LANGUAGES[Path(truth["sources"][0]).suffix]


def compiler(task: Task) -> str:
    """Name the compiler; a Valgrind variant may choose another than gcc."""
    return COMPILERS[task.variant.get("compiler", task.tool)][language(task.truth)]


def build_command(task: Task, work: Path) -> list[str]:
    """Return the command that builds the program as `shop` in its work directory."""
    flags = task.option("cflags", ["-g", "-O0"])
    flags = [one.replace("{work}", str(work)) for one in flags]
    if task.tool == "rustc":
        remap = [f"--remap-path-prefix={work}={SHOWN_WORK}"]
        return ["rustc", "+nightly", "--edition=2021", *flags, *remap, "-o", "shop", *task.truth["sources"]]
    instrument = [] if task.tool in VALGRIND else task.truth.get("sanitize", ["-fsanitize=thread"])
    mapped = [] if any("prefix-map" in one for one in flags) else [f"-ffile-prefix-map={work}={SHOWN_WORK}"]
    sources = [str(work / one) for one in task.truth["sources"]]
    return [
        compiler(task),
        *mapped,
        *flags,
        *instrument,
        *sources,
        "-pthread",
        "-o",
        "shop",
        *task.option("ldflags", []),
    ]


def run_command(task: Task) -> list[str]:
    """Return the command that runs the built program."""
    if task.tool not in VALGRIND:
        return task.option("run", ["./shop"])
    return ["valgrind", f"--tool={task.tool}", *task.option("args", []), "./shop"]


def environment(task: Task) -> dict[str, str]:
    """Build the environment: nothing of the caller's, but the path and the symbolizer."""
    env = {"PATH": os.environ.get("PATH", ""), "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8"}
    symbolizer = shutil.which(SYMBOLIZERS.get(task.tool, ""))
    if symbolizer:
        env |= {f"{name}_SYMBOLIZER_PATH": symbolizer for name in ("TSAN", "ASAN", "MSAN", "UBSAN")}
    own: dict[str, str] = task.truth.get("env", {}) | task.variant.get("env", {})
    return env | own


def called(command: Sequence[str], work: Path, env: dict[str, str]) -> str:
    """Run a command in the work directory and return what it printed, with the paths as shown."""
    done = subprocess.run(
        ["timeout", "-k", "5", str(SECONDS), *command],
        cwd=work,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    text = done.stdout.decode("utf-8", "replace")
    return text.replace(str(work / "libexec"), str(VALGRIND_LIB)).replace(str(work), SHOWN_WORK)


def bare_valgrind(work: Path) -> dict[str, str]:
    """Make a Valgrind that finds no debug information of its own, as most installed ones do not."""
    own = work / "libexec"
    own.mkdir()
    for path in VALGRIND_LIB.iterdir():
        if path.name.startswith("vgpreload_"):
            drop = ["-R", ".note.gnu.build-id", "-R", ".gnu_debuglink"]
            subprocess.run(["objcopy", *drop, str(path), str(own / path.name)], check=True)
        else:
            (own / path.name).symlink_to(path)
    return {"VALGRIND_LIB": str(own)}


def attempts(task: Task) -> tuple[str, list[str]]:
    """Build once, run until the text is complete; return the best text and what it lacks."""
    best = ("", ["everything"] * 99)
    with tempfile.TemporaryDirectory(prefix="corpus-") as temp:
        work = Path(temp).resolve() / "shop"
        shutil.copytree(task.program, work, ignore=shutil.ignore_patterns("recorded", "truth.json"))
        env = environment(task)
        printed = called(build_command(task, work), work, env)
        if not (work / "shop").exists():
            return "", [f"a build: {printed[:500]}"]
        if task.variant.get("strip"):
            called(["strip", "shop"], work, env)
        if task.variant.get("bare"):
            env |= bare_valgrind(work)
        for _ in range(task.truth.get("tries", TRIES)):
            text = called(run_command(task), work, env)
            lacks = missing(text, task.truth, task.label)
            if len(lacks) < len(best[1]):
                best = (text, lacks)
            if not lacks:
                break
    return best


def record(task: Task) -> list[str]:
    """Record a task, unless the text of an earlier run is better, and return what is lacking."""
    text, lacks = attempts(task)
    if lacks and task.output.exists():
        before = missing(task.output.read_text(encoding="utf-8"), task.truth, task.label)
        if len(before) < len(lacks):
            return before
    if text:
        task.output.parent.mkdir(exist_ok=True)
        task.output.write_text(text, encoding="utf-8")
    return lacks


def installed(tool: str, lang: str) -> bool:
    """Tell whether a tool and its compiler are here."""
    names = [COMPILERS[tool][lang], *(["valgrind"] if tool in VALGRIND else [])]
    if not all(shutil.which(name) for name in names):
        return False
    nightly = ["rustc", "+nightly", "--version"]
    return tool != "rustc" or not subprocess.run(nightly, capture_output=True, check=False).returncode


def tasks_of(program: Path) -> Iterator[Task]:
    """List the ways in which a program runs."""
    truth = json.loads((program / "truth.json").read_text(encoding="utf-8"))
    variants = [{"label": tool} for tool in COMPILERS if language(truth) in COMPILERS[tool]]
    for variant in [*variants, *truth.get("variants", [])]:
        task = Task(program, variant["label"], truth, variant)
        if expected(truth, task.label) is not None:
            yield task


def native_programs(root: Path, names: Sequence[str] = ()) -> list[Path]:
    """The folders of the C, C++ and Rust programs below an unpacked set: those named, or all."""
    found = sorted(path.parent for folder in ("c", "rust") for path in (root / folder).rglob("truth.json"))
    return [path for path in found if not names or path.name in names]


def check(paths: Sequence[Path]) -> int:
    """Check the texts already recorded against truth.json."""
    bad = 0
    for task in (one for path in paths for one in tasks_of(path)):
        text = task.output.read_text(encoding="utf-8") if task.output.exists() else ""
        lacks = missing(text, task.truth, task.label) if text else ["a recording"]
        bad += bool(lacks)
        if lacks:
            print(f"{task.program.name} {task.label}: lacks {'; '.join(lacks)}")
    return bad


def record_all(paths: Sequence[Path], only: Sequence[str]) -> int:
    """Record programs under every tool that is installed."""
    bad = 0
    for task in (one for path in paths for one in tasks_of(path)):
        if only and not {task.tool, task.label} & set(only):
            continue
        if not installed(task.tool, language(task.truth)):
            print(f"{task.program.name} {task.label}: {task.tool} is not installed")
            continue
        lacks = record(task)
        bad += bool(lacks)
        state = f"lacks {'; '.join(lacks)}" if lacks else "recorded"
        print(f"{task.program.name} {task.label}: {state}", flush=True)
    return bad


def main() -> int:
    """Read the command line and record, or only check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="*", help="C, C++ and Rust programs of any set (default: all)")
    parser.add_argument("--only", nargs="+", default=[], metavar="LABEL", help="only these tools or labels")
    parser.add_argument("--check", action="store_true", help="run nothing, check what is recorded")
    parser.add_argument("--folder", type=Path, help="an unpacked set to work in")
    args = parser.parse_args()
    if args.check:
        roots = [args.folder] if args.folder else map(store.unpacked_set, store.sets_with(args.program))
        bad = sum(check(native_programs(root, args.program)) for root in roots)
    else:
        bad = store.change_sets(
            args.program, args.folder, lambda root: record_all(native_programs(root, args.program), args.only)
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
