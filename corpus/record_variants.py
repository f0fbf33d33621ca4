"""Run variants of every Go program (lines moved, accesses swapped, ...) and record their output."""

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
    find_marks,
    go_programs,
    label_reports,
    marked_variables,
    read_source,
    variant_source,
    write_labels,
)
from corpus.record_go import CACHE, SHOWN_WORK, VERSIONS, GoTask, Toolchain, install_toolchain, run_once, version_tuple
from corpus.txtar import format_archive, parse_archive
from corpus.variants_go import VARIANTS, Variant

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDED_VERSIONS = ("1.19", *(version for version in VERSIONS if not version.startswith("1.23")))
# fatal errors of the runtime dump every goroutine: large, and the same in most variants
FATAL_KINDS = ("lines", "moved", "wrapper")
MAX_CHARACTERS = 16_000
MAX_RUNS = 4


def _choose_versions(program: Path, variant: Variant, versions: list[str]) -> list[str]:
    """The Go versions for a variant, chosen by a hash; only one if the program has several races."""
    allowed = variant.versions
    wanted = [version for version in versions if not allowed or _minor_version(version) in allowed]
    start = sha256(f"{program.name} {variant.kind}".encode()).digest()[0]
    rotated = [wanted[(start + step * 3) % len(wanted)] for step in range(len(wanted))]
    single_race = len(marked_variables(find_marks(read_source(program)))) == 1
    return list(dict.fromkeys(rotated))[: variant.version_count if single_race else 1]


def _minor_version(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _variant_tasks(program: Path, cache: Path) -> Iterator[GoTask]:
    truth = json.loads((program / "truth.json").read_text(encoding="utf-8"))
    low = version_tuple(truth.get("since", "1.0"))
    versions = [version for version in RECORDED_VERSIONS if low <= version_tuple(_minor_version(version))]
    for variant in VARIANTS:
        if truth["detector"] != "go" and variant.kind not in FATAL_KINDS:
            continue
        for version in _choose_versions(program, variant, versions):
            name = f"go{_minor_version(version)}-{variant.kind}"
            source = variant_source(program, name)
            if variant.changes_source and source == read_source(program):
                continue  # the variant does not apply
            toolchain = install_toolchain(version, cache)
            if toolchain:
                yield _variant_task(program, toolchain, name, truth, variant, source)


def _variant_task(
    program: Path, toolchain: Toolchain, name: str, truth: dict[str, Any], variant: Variant, source: dict[str, str]
) -> GoTask:
    command = [str(word) for word in truth["run"]]
    extra = [*variant.flags, *(["-vet=off"] if command[1] == "test" else [])]
    run = (*command[:2], *extra, *command[2:])
    env = {str(key): str(value) for key, value in truth.get("env", {}).items()}
    return GoTask(program, toolchain, name, run, truth, env, source, variant.shown_folder or SHOWN_WORK)


def _is_swapped(text: str, task: GoTask) -> bool:
    """Whether a delayed line is now the first access of a report."""
    delayed = {line for line in find_marks(task.source) if _is_delayed(task.source, line)}
    first_stacks = [s.report.accesses[0].stack for s in deadheat.scan(text, diagnose=False) if s.report.accesses]
    return any(
        frame.line == line and frame.path.endswith(name)
        for stack in first_stacks
        for frame in stack
        for name, line in delayed
    )


def _is_delayed(source: dict[str, str], place: tuple[str, int]) -> bool:
    before = source[place[0]].split("\n")[place[1] - 2]
    return before.startswith("time.Sleep(60")


def _best_recording(task: GoTask, cache: Path) -> tuple[str, str]:
    """The best text of several runs, or an error."""
    wanted = marked_variables(find_marks(task.source))
    best, most, fault = "", 0, "no report"
    for _ in range(MAX_RUNS):
        text = run_once(task, cache)
        try:
            found = set(label_reports(text.encode(), task.source)[0])
        except UnlabelledError as unknown:
            fault = f"no unique label:\n{unknown}"
            continue
        if not found:
            fault = f"no report:\n{text[-600:]}"
            if text.startswith("# "):
                break  # does not compile
        if task.label.endswith("-order") and found and not _is_swapped(text, task):
            fault = "the accesses are not swapped"
            continue
        if len(text) <= MAX_CHARACTERS and len(found) > most:
            best, most = text, len(found)
        if found == wanted:
            break
    return best, "" if best else fault


def record_variants(program: Path, cache: Path, kinds: list[str], again: bool) -> int:
    """Record the missing variants of a program; return the number of failures."""
    archive = program / "variants.txtar"
    texts = parse_archive(archive.read_text(encoding="utf-8")) if archive.exists() else {}
    failures = 0
    for task in _variant_tasks(program, cache):
        if (task.label in texts and not again) or (kinds and task.label.split("-")[1] not in kinds):
            continue
        text, fault = _best_recording(task, cache)
        if text:
            texts[task.label] = text
        failures += bool(fault)
        print(f"{program.name} {task.label}: {fault or 'recorded'}", flush=True)
    if texts:
        archive.write_text(format_archive(texts), encoding="utf-8")
    write_labels(program)
    return failures


def main() -> int:
    """Read the command line and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="*", help="Go programs of any set (default: all)")
    parser.add_argument("--kind", nargs="+", default=[], help="only variants of these kinds")
    parser.add_argument("--again", action="store_true", help="also variants that are recorded already")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of the installed toolchains")
    parser.add_argument("--folder", type=Path, help="work in this unpacked set; do not pack it")
    args = parser.parse_args()

    def record_programs(root: Path) -> int:
        found = go_programs(root, args.program)
        return sum(record_variants(path, args.cache, args.kind, args.again) for path in found)

    return 1 if store.change_sets(args.program, args.folder, record_programs) else 0


if __name__ == "__main__":
    sys.exit(main())
