"""Build the racy C, C++ and Rust programs of the corpus, run each under its detectors, record the text.

    python -m corpus.record_c                                # all programs, every installed tool
    python -m corpus.record_c cart-global --only helgrind drd-varinfo
    python -m corpus.record_c --check                        # run nothing, check the recordings
    python -m corpus.record_c --folder DIR                   # work in an unpacked set; do not pack it

Debian has the tools: gcc g++ clang clang-19 llvm llvm-19 valgrind valgrind-dbg libc6-dbg. Rust needs a
nightly toolchain of rustup. Tools that are not installed are skipped. A program's folder holds its sources,
`truth.json` (see docs/corpus.md) and `recorded/<label>.txt`; a label is the tool, plus a suffix for other options
to build or run.
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
from corpus.truth_c import expected_reports, missing_content

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHOWN_WORK = "/src/shop"
TIMEOUT_SECONDS = 120
MAX_RUNS = 6
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
class NativeTask:
    """One program with one set of build and run options."""

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
        """The file for the recorded text."""
        return self.program / "recorded" / f"{self.label}.txt"

    def list_option(self, name: str, default: list[str]) -> list[str]:
        """Return the variant's list, else the program's, else the default."""
        found: list[str] = self.variant.get(name, self.truth.get(name, default))
        return found


def source_language(truth: dict[str, Any]) -> str:
    """The language of the first source file."""
    return LANGUAGES[Path(truth["sources"][0]).suffix]


def compiler_for(task: NativeTask) -> str:
    """The compiler. A Valgrind variant may name another one than gcc."""
    return COMPILERS[task.variant.get("compiler", task.tool)][source_language(task.truth)]


def build_command(task: NativeTask, work: Path) -> list[str]:
    """Return the command that builds the program as `shop` in its work directory."""
    flags = task.list_option("cflags", ["-g", "-O0"])
    flags = [one.replace("{work}", str(work)) for one in flags]
    if task.tool == "rustc":
        remap = [f"--remap-path-prefix={work}={SHOWN_WORK}"]
        return ["rustc", "+nightly", "--edition=2021", *flags, *remap, "-o", "shop", *task.truth["sources"]]
    instrument = [] if task.tool in VALGRIND else task.truth.get("sanitize", ["-fsanitize=thread"])
    mapped = [] if any("prefix-map" in one for one in flags) else [f"-ffile-prefix-map={work}={SHOWN_WORK}"]
    sources = [str(work / one) for one in task.truth["sources"]]
    return [
        compiler_for(task),
        *mapped,
        *flags,
        *instrument,
        *sources,
        "-pthread",
        "-o",
        "shop",
        *task.list_option("ldflags", []),
    ]


def run_command(task: NativeTask) -> list[str]:
    """Return the command that runs the built program."""
    if task.tool not in VALGRIND:
        return task.list_option("run", ["./shop"])
    return ["valgrind", f"--tool={task.tool}", *task.list_option("args", []), "./shop"]


def run_environment(task: NativeTask) -> dict[str, str]:
    """The environment of a run: path, home and symbolizer, and the variables of the program."""
    env = {"PATH": os.environ.get("PATH", ""), "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8"}
    symbolizer = shutil.which(SYMBOLIZERS.get(task.tool, ""))
    if symbolizer:
        env |= {f"{name}_SYMBOLIZER_PATH": symbolizer for name in ("TSAN", "ASAN", "MSAN", "UBSAN")}
    own: dict[str, str] = task.truth.get("env", {}) | task.variant.get("env", {})
    return env | own


def run_in_folder(command: Sequence[str], work: Path, env: dict[str, str]) -> str:
    """Run a command in the work directory and return its output with the work directory replaced."""
    done = subprocess.run(
        ["timeout", "-k", "5", str(TIMEOUT_SECONDS), *command],
        cwd=work,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    text = done.stdout.decode("utf-8", "replace")
    return text.replace(str(work / "libexec"), str(VALGRIND_LIB)).replace(str(work), SHOWN_WORK)


def install_bare_valgrind(work: Path) -> dict[str, str]:
    """Make a Valgrind without debug information for itself, as on most machines."""
    folder = work / "libexec"
    folder.mkdir()
    for path in VALGRIND_LIB.iterdir():
        if path.name.startswith("vgpreload_"):
            drop = ["-R", ".note.gnu.build-id", "-R", ".gnu_debuglink"]
            subprocess.run(["objcopy", *drop, str(path), str(folder / path.name)], check=True)
        else:
            (folder / path.name).symlink_to(path)
    return {"VALGRIND_LIB": str(folder)}


def run_until_complete(task: NativeTask) -> tuple[str, list[str]]:
    """Build once, run until the text is complete; return the best text and what is missing."""
    best = ("", ["everything"] * 99)
    with tempfile.TemporaryDirectory(prefix="corpus-") as temp:
        work = Path(temp).resolve() / "shop"
        shutil.copytree(task.program, work, ignore=shutil.ignore_patterns("recorded", "truth.json"))
        env = run_environment(task)
        printed = run_in_folder(build_command(task, work), work, env)
        if not (work / "shop").exists():
            return "", [f"a build: {printed[:500]}"]
        if task.variant.get("strip"):
            run_in_folder(["strip", "shop"], work, env)
        if task.variant.get("bare"):
            env |= install_bare_valgrind(work)
        for _ in range(task.truth.get("tries", MAX_RUNS)):
            text = run_in_folder(run_command(task), work, env)
            missing = missing_content(text, task.truth, task.label)
            if len(missing) < len(best[1]):
                best = (text, missing)
            if not missing:
                break
    return best


def record_task(task: NativeTask) -> list[str]:
    """Record a task, unless the text of an earlier run is better, and return what is missing."""
    text, missing = run_until_complete(task)
    if missing and task.output.exists():
        before = missing_content(task.output.read_text(encoding="utf-8"), task.truth, task.label)
        if len(before) < len(missing):
            return before
    if text:
        task.output.parent.mkdir(exist_ok=True)
        task.output.write_text(text, encoding="utf-8")
    return missing


def is_installed(tool: str, lang: str) -> bool:
    """Whether a tool and its compiler are installed."""
    names = [COMPILERS[tool][lang], *(["valgrind"] if tool in VALGRIND else [])]
    if not all(shutil.which(name) for name in names):
        return False
    nightly = ["rustc", "+nightly", "--version"]
    return tool != "rustc" or not subprocess.run(nightly, capture_output=True, check=False).returncode


def program_tasks(program: Path) -> Iterator[NativeTask]:
    """The tasks of a program."""
    truth = json.loads((program / "truth.json").read_text(encoding="utf-8"))
    variants = [{"label": tool} for tool in COMPILERS if source_language(truth) in COMPILERS[tool]]
    for variant in [*variants, *truth.get("variants", [])]:
        task = NativeTask(program, variant["label"], truth, variant)
        if expected_reports(truth, task.label) is not None:
            yield task


def native_programs(root: Path, names: Sequence[str] = ()) -> list[Path]:
    """The folders of the C, C++ and Rust programs below an unpacked set: those named, or all."""
    found = sorted(path.parent for folder in ("c", "rust") for path in (root / folder).rglob("truth.json"))
    return [path for path in found if not names or path.name in names]


def check_recordings(paths: Sequence[Path]) -> int:
    """Check the recorded texts against truth.json; return the number of failures."""
    failures = 0
    for task in (one for path in paths for one in program_tasks(path)):
        text = task.output.read_text(encoding="utf-8") if task.output.exists() else ""
        missing = missing_content(text, task.truth, task.label) if text else ["a recording"]
        failures += bool(missing)
        if missing:
            print(f"{task.program.name} {task.label}: missing: {'; '.join(missing)}")
    return failures


def record_programs(paths: Sequence[Path], only: Sequence[str]) -> int:
    """Record programs with every installed tool; return the number of failures."""
    failures = 0
    for task in (one for path in paths for one in program_tasks(path)):
        if only and not {task.tool, task.label} & set(only):
            continue
        if not is_installed(task.tool, source_language(task.truth)):
            print(f"{task.program.name} {task.label}: {task.tool} is not installed")
            continue
        missing = record_task(task)
        failures += bool(missing)
        state = f"missing: {'; '.join(missing)}" if missing else "recorded"
        print(f"{task.program.name} {task.label}: {state}", flush=True)
    return failures


def main() -> int:
    """Read the command line and record, or only check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="*", help="C, C++ and Rust programs of any set (default: all)")
    parser.add_argument("--only", nargs="+", default=[], metavar="LABEL", help="only these tools or labels")
    parser.add_argument("--check", action="store_true", help="run nothing, check the recordings")
    parser.add_argument("--folder", type=Path, help="work in this unpacked set; do not pack it")
    args = parser.parse_args()
    if args.check:
        roots = [args.folder] if args.folder else map(store.unpacked_set, store.sets_with(args.program))
        failures = sum(check_recordings(native_programs(root, args.program)) for root in roots)
    else:
        failures = store.change_sets(
            args.program, args.folder, lambda root: record_programs(native_programs(root, args.program), args.only)
        )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
