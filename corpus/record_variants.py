"""Run changed forms of every Go program (lines moved, sides swapped, ...) and record what they print."""

from __future__ import annotations

import argparse
import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import deadheat
from corpus import store
from corpus.label_go import (
    UnlabelledError,
    go_programs,
    label,
    marks_of,
    source_of,
    variables_of,
    variant_source,
    write_labels,
)
from corpus.record_go import CACHE, SHOWN_WORK, VERSIONS, Task, Toolchain, install, number, run_once
from corpus.txtar import format_archive, parse_archive
from corpus.variants_go import VARIANTS, Variant

if TYPE_CHECKING:
    from collections.abc import Iterator

USED = ("1.19", *(version for version in VERSIONS if not version.startswith("1.23")))
# the runtime's own stops are dumps of every goroutine: large, and the same in most shapes
FATAL_KINDS = ("lines", "moved", "wrapper")
LARGEST = 16_000
TRIES = 4


def _chosen(program: Path, variant: Variant, versions: list[str]) -> list[str]:
    """Which versions record a variant: spread over the programs by a hash.

    One for a program with several races, whose texts are longer.
    """
    named = variant.versions
    wanted = [version for version in versions if not named or _short(version) in named]
    start = sha256(f"{program.name} {variant.kind}".encode()).digest()[0]
    rotated = [wanted[(start + step * 3) % len(wanted)] for step in range(len(wanted))]
    alone = len(variables_of(marks_of(source_of(program)))) == 1
    return list(dict.fromkeys(rotated))[: variant.times if alone else 1]


def _short(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _tasks(program: Path, cache: Path) -> Iterator[Task]:
    truth = json.loads((program / "truth.json").read_text(encoding="utf-8"))
    low = number(truth.get("since", "1.0"))
    versions = [version for version in USED if low <= number(_short(version))]
    for variant in VARIANTS:
        if truth["detector"] != "go" and variant.kind not in FATAL_KINDS:
            continue
        for version in _chosen(program, variant, versions):
            name = f"go{_short(version)}-{variant.kind}"
            source = variant_source(program, name)
            if variant.changes and source == source_of(program):
                continue  # it does not apply
            toolchain = install(version, cache)
            if toolchain:
                yield _task(program, toolchain, name, truth, variant, source)


def _task(
    program: Path, toolchain: Toolchain, name: str, truth: dict[str, Any], variant: Variant, source: dict[str, str]
) -> Task:
    command = [str(word) for word in truth["run"]]
    extra = [*variant.flags, *(["-vet=off"] if command[1] == "test" else [])]
    run = (*command[:2], *extra, *command[2:])
    env = {str(key): str(value) for key, value in truth.get("env", {}).items()}
    return Task(program, toolchain, name, run, truth, env, source, variant.shown or SHOWN_WORK)


def _is_swapped(text: str, task: Task) -> bool:
    """Whether a line that waited is now named first."""
    late = {place for place in marks_of(task.source) if _waits(task.source, place)}
    firsts = [s.report.accesses[0].stack for s in deadheat.scan(text) if s.report.accesses]
    return any(
        frame.line == line and frame.path.endswith(name) for stack in firsts for frame in stack for name, line in late
    )


def _waits(source: dict[str, str], place: tuple[str, int]) -> bool:
    before = source[place[0]].split("\n")[place[1] - 2]
    return before.startswith("time.Sleep(60")


def _record(task: Task, cache: Path) -> tuple[str, str]:
    """The best text of a few runs, and what is wrong with it."""
    wanted = variables_of(marks_of(task.source))
    best, most, fault = "", 0, "no report"
    for _ in range(TRIES):
        text = run_once(task, cache)
        try:
            found = set(label(text.encode(), task.source)[0])
        except UnlabelledError as unknown:
            fault = f"no unique label:\n{unknown}"
            continue
        if not found:
            fault = f"no report:\n{text[-600:]}"
            if text.startswith("# "):
                break  # it does not compile, and never will
        if task.label.endswith("-order") and found and not _is_swapped(text, task):
            fault = "the sides are not swapped"
            continue
        if len(text) <= LARGEST and len(found) > most:
            best, most = text, len(found)
        if found == wanted:
            break
    return best, "" if best else fault


def record(program: Path, cache: Path, kinds: list[str], again: bool) -> int:
    """Record the variants of a program that are not there yet."""
    archive = program / "variants.txtar"
    texts = parse_archive(archive.read_text(encoding="utf-8")) if archive.exists() else {}
    bad = 0
    for task in _tasks(program, cache):
        if (task.label in texts and not again) or (kinds and task.label.split("-")[1] not in kinds):
            continue
        text, fault = _record(task, cache)
        if text:
            texts[task.label] = text
        bad += bool(fault)
        print(f"{program.name} {task.label}: {fault or 'recorded'}", flush=True)
    if texts:
        archive.write_text(format_archive(texts), encoding="utf-8")
    write_labels(program)
    return bad


def main() -> int:
    """Read the command line and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="*", help="Go programs of any set (default: all)")
    parser.add_argument("--kind", nargs="+", default=[], help="only variants of these kinds")
    parser.add_argument("--again", action="store_true", help="also what is recorded already")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where toolchains are kept")
    parser.add_argument("--folder", type=Path, help="an unpacked set to work in; it is not packed afterwards")
    args = parser.parse_args()

    def record_programs(root: Path) -> int:
        found = go_programs(root, args.program)
        return sum(record(path, args.cache, args.kind, args.again) for path in found)

    return 1 if store.change_sets(args.program, args.folder, record_programs) else 0


if __name__ == "__main__":
    sys.exit(main())
