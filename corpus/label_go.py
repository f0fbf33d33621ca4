"""Label every recorded report with the variable it is about, from the marks in the source that ran.

    python -m corpus.label_go                  # every set
    python -m corpus.label_go lease-timer      # the sets with these programs, only these programs
    python -m corpus.label_go --folder DIR     # work in an unpacked set; do not pack it

A line that races ends in `//race:Cart.total` (several: `//race:a,b`). A race is a program and a variable.
"""

from __future__ import annotations

import argparse
import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import deadheat
from corpus import store
from corpus.go_source import POINTEE_MARK, RACE_MARK, Files
from corpus.txtar import parse_archive
from corpus.variants_go import BY_KIND, delay_accesses

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence

    from deadheat.model import Access, Frame, Sighting

Marks = dict[tuple[str, int], frozenset[str]]


class UnlabelledError(Exception):
    """The marks do not determine the variable of a report: they must be improved."""


def is_set_aside(program: str) -> bool:
    """Whether a program of the main set is in the half set aside, by a hash of its name."""
    return sha256(program.encode()).digest()[0] % 2 == 1


def read_source(program: Path) -> Files:
    """The source of a program, by its path below the program's folder."""
    paths = [program / "go.mod", *sorted(program.rglob("*.go"))]
    return {str(path.relative_to(program)): path.read_text(encoding="utf-8") for path in paths}


def find_marks(files: Files, patterns: Iterable[re.Pattern[str]] = (RACE_MARK, POINTEE_MARK)) -> Marks:
    """The variables that each marked line accesses."""
    marks: Marks = {}
    for name, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            if found := [m for pattern in patterns if (m := pattern.search(line))]:
                marks[name, number] = frozenset(v for m in found for v in m[1].split(","))
    return marks


def marked_variables(marks: Marks) -> frozenset[str]:
    """Every variable that a program's marks name."""
    return frozenset().union(*marks.values())


def _is_in_file(frame: Frame, name: str) -> bool:
    path = frame.path.replace("\\", "/")
    return path == name or path.endswith(f"/{name}")


def _marked_line(access: Access, marks: Marks) -> tuple[str, int] | None:
    """The innermost frame on a marked line."""
    for frame in access.stack:
        hits = [(name, at) for name, at in marks if at == frame.line and _is_in_file(frame, name)]
        if hits:
            return max(hits, key=lambda hit: len(hit[0]))
    return None


def _label_by_marks(sighting: Sighting, marks: Marks) -> str | None:
    marked_lines = [_marked_line(access, marks) for access in sighting.report.accesses]
    side_marks = [marks[place] for place in marked_lines if place]
    shared = frozenset.intersection(*side_marks) if side_marks else frozenset()
    return next(iter(shared)) if len(shared) == 1 else None


def label_reports(text: bytes, files: Files) -> tuple[list[str], dict[int, str]]:
    """The race of each report in a text, and the reason where it is not determined by the marks."""
    marks = find_marks(files)
    sightings = deadheat.scan(text, diagnose=False)
    labels = [_label_by_marks(sighting, marks) for sighting in sightings]
    addresses = {
        access.address: race
        for sighting, race in zip(sightings, labels, strict=True)
        if race
        for access in sighting.report.accesses
    }
    variables = marked_variables(marks)
    inferred: dict[int, str] = {}
    for at, sighting in enumerate(sightings):
        if labels[at]:
            continue
        known = [addresses.get(a.address) for a in sighting.report.accesses if a.address]
        if known and known[0]:
            labels[at], inferred[at] = known[0], "same address"
        elif len(variables) == 1:
            labels[at], inferred[at] = next(iter(variables)), "only race of the program"
        else:
            raise UnlabelledError(text[sighting.span.offset : sighting.span.end].decode())
    return [race for race in labels if race], inferred


def second_access_lines(text: str, files: Files) -> set[tuple[str, int]]:
    """The marked lines that are second accesses in a text's reports and never first ones."""
    marks = find_marks(files, (RACE_MARK,))
    pairs = [s.report.accesses for s in deadheat.scan(text, diagnose=False) if len(s.report.accesses) == 2]
    first, second = ({_marked_line(pair[side], marks) for pair in pairs} for side in (0, 1))
    return {place for place in second - first if place}


def variant_source(program: Path, name: str) -> Files:
    """The source of the program variant in a recording."""
    files = read_source(program)
    version, _, kind = name.partition("-")
    if kind == "order":
        base = (program / "recorded" / f"{version}.txt").read_text(encoding="utf-8")
        return delay_accesses(second_access_lines(base, files))(files)
    return BY_KIND[kind].change(files) if kind in BY_KIND else files


def program_recordings(program: Path) -> Iterator[tuple[str, str]]:
    """The name and text of every recording of a program, those of variants last."""
    for path in sorted((program / "recorded").glob("*.txt")):
        yield path.stem, path.read_text(encoding="utf-8")
    archive = program / "variants.txtar"
    if archive.exists():
        yield from parse_archive(archive.read_text(encoding="utf-8")).items()


def build_labels(program: Path, texts: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The content of a program's labels.json."""
    found: dict[str, list[str]] = {}
    inferred: dict[str, dict[str, str]] = {}
    for name, text in texts:
        found[name], reasons = label_reports(text.encode(), variant_source(program, name))
        if reasons:
            inferred[name] = {str(at): reason for at, reason in reasons.items()}
    return {"recordings": found, "inferred": inferred}


def go_programs(root: Path, names: Sequence[str] = ()) -> list[Path]:
    """The folders of the Go programs below an unpacked set: those named, or all."""
    found = [path.parent for path in sorted((root / "go").glob("*/truth.json"))]
    return [path for path in found if not names or path.name in names]


def write_labels(program: Path) -> dict[str, Any]:
    """Label every recording of a program and write its labels.json."""
    labels = build_labels(program, program_recordings(program))
    (program / "labels.json").write_text(json.dumps(labels, indent=1) + "\n", encoding="utf-8")
    return labels


def label_programs(programs: Sequence[Path]) -> int:
    """Label programs and return how many have a report without a unique label."""
    bad = 0
    for program in programs:
        try:
            labels = write_labels(program)
        except UnlabelledError as fault:
            bad += 1
            print(f"{program.name}: no unique label for\n{fault}", file=sys.stderr)
            continue
        count, inferred = (sum(map(len, labels[key].values())) for key in ("recordings", "inferred"))
        print(f"{program.name}: {count} reports, {inferred} inferred")
    return bad


def main() -> int:
    """Label the programs named, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="*", help="Go programs of any set (default: all)")
    parser.add_argument("--folder", type=Path, help="work in this unpacked set; do not pack it")
    args = parser.parse_args()
    bad = store.change_sets(args.program, args.folder, lambda root: label_programs(go_programs(root, args.program)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
