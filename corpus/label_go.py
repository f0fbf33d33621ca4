"""Says of every recorded report which variable it is about, from the marks in the source that ran.

A line that races ends in `//race:Cart.total` (several: `//race:a,b`). Program and variable are the race.
"""

from __future__ import annotations

import json
import re
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import deadheat
from corpus import sets
from corpus.go_source import BEHIND, MARK, Files
from corpus.variants_go import BY_KIND, late

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deadheat.model import Access, Frame, Sighting

_HERE = Path(__file__).resolve().parent
GO = _HERE / "go"
FRESH = tuple(_HERE / name / "go" for name in sets.FRESH)
# a file's heading in an archive of texts: `-- go1.24-lines --`
HEADING = re.compile(r"^-- (\S+) --\n", re.MULTILINE)

Marks = dict[tuple[str, int], frozenset[str]]


class UnlabelledError(Exception):
    """A report that the marks do not tell apart: the marks must be improved."""


def held_out(program: str) -> bool:
    """Half of the programs that are not fresh are set aside, by a hash of the name."""
    return sha256(program.encode()).digest()[0] % 2 == 1


def source_of(program: Path) -> Files:
    """The source of a program, by its path below the program's folder."""
    paths = [program / "go.mod", *sorted(program.rglob("*.go"))]
    return {str(path.relative_to(program)): path.read_text(encoding="utf-8") for path in paths}


def marks_of(files: Files, patterns: Iterable[re.Pattern[str]] = (MARK, BEHIND)) -> Marks:
    """The variables that each marked line accesses."""
    marks: Marks = {}
    for name, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            if found := [m for pattern in patterns if (m := pattern.search(line))]:
                marks[name, number] = frozenset(v for m in found for v in m[1].split(","))
    return marks


def variables_of(marks: Marks) -> frozenset[str]:
    """Every variable that a program's marks name."""
    return frozenset().union(*marks.values())


def _is_at(frame: Frame, name: str) -> bool:
    path = frame.path.replace("\\", "/")
    return path == name or path.endswith(f"/{name}")


def _place(access: Access, marks: Marks) -> tuple[str, int] | None:
    """The innermost frame on a marked line."""
    for frame in access.stack:
        hits = [(name, at) for name, at in marks if at == frame.line and _is_at(frame, name)]
        if hits:
            return max(hits, key=lambda hit: len(hit[0]))
    return None


def _by_marks(sighting: Sighting, marks: Marks) -> str | None:
    places = [_place(access, marks) for access in sighting.report.accesses]
    sides = [marks[place] for place in places if place]
    shared = frozenset.intersection(*sides) if sides else frozenset()
    return next(iter(shared)) if len(shared) == 1 else None


def label(text: bytes, files: Files) -> tuple[list[str], dict[int, str]]:
    """The race of each report in a text, and for those that the marks did not tell, how it is known."""
    marks = marks_of(files)
    sightings = deadheat.scan(text)
    labels = [_by_marks(sighting, marks) for sighting in sightings]
    addresses = {
        access.address: race
        for sighting, race in zip(sightings, labels, strict=True)
        if race
        for access in sighting.report.accesses
    }
    sole = variables_of(marks)
    how: dict[int, str] = {}
    for at, sighting in enumerate(sightings):
        if labels[at]:
            continue
        known = [addresses.get(a.address) for a in sighting.report.accesses if a.address]
        if known and known[0]:
            labels[at], how[at] = known[0], "same address"
        elif len(sole) == 1:
            labels[at], how[at] = next(iter(sole)), "only race of the program"
        else:
            raise UnlabelledError(text[sighting.span.offset : sighting.span.end].decode())
    return [race for race in labels if race], how


def second_places(text: str, files: Files) -> set[tuple[str, int]]:
    """The marked lines that a text's reports name second, and never first."""
    marks = marks_of(files, (MARK,))
    pairs = [s.report.accesses for s in deadheat.scan(text) if len(s.report.accesses) == 2]
    first, second = ({_place(pair[side], marks) for pair in pairs} for side in (0, 1))
    return {place for place in second - first if place}


def variant_source(program: Path, name: str) -> Files:
    """The source that a recording of that name ran: that of the program, or a variant of it."""
    files = source_of(program)
    version, _, kind = name.partition("-")
    if kind == "order":
        base = (program / "recorded" / f"{version}.txt").read_text(encoding="utf-8")
        return late(second_places(base, files))(files)
    return BY_KIND[kind].change(files) if kind in BY_KIND else files


def unpack(archive: str) -> dict[str, str]:
    """The texts of an archive, by name."""
    _, *parts = HEADING.split(archive)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def pack(texts: Mapping[str, str]) -> str:
    """An archive of texts: each under a heading, as Go's own txtar format has it."""
    ended = {name: text if text.endswith("\n") else f"{text}\n" for name, text in texts.items()}
    return "".join(f"-- {name} --\n{text}" for name, text in sorted(ended.items()))


def recordings(program: Path) -> Iterator[tuple[str, str]]:
    """Every recorded text of a program with its label, those of variants last."""
    for path in sorted((program / "recorded").glob("*.txt")):
        yield path.stem, path.read_text(encoding="utf-8")
    archive = program / "variants.txtar"
    if archive.exists():
        yield from unpack(archive.read_text(encoding="utf-8")).items()


def labels_of(program: Path, texts: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The content of a program's labels.json."""
    found: dict[str, list[str]] = {}
    inferred: dict[str, dict[str, str]] = {}
    for name, text in texts:
        found[name], how = label(text.encode(), variant_source(program, name))
        if how:
            inferred[name] = {str(at): why for at, why in how.items()}
    return {"recordings": found, "inferred": inferred}


def programs(roots: Iterable[Path] = (GO, *FRESH)) -> list[Path]:
    """Every program of the corpus, those of the fresh sets last."""
    return [path.parent for root in roots for path in sorted(root.glob("*/truth.json"))]


def write(program: Path) -> dict[str, Any]:
    """Label every recording of a program and keep the labels beside it."""
    labels = labels_of(program, recordings(program))
    (program / "labels.json").write_text(_laid_out(labels), encoding="utf-8")
    return labels


def _laid_out(labels: dict[str, Any]) -> str:
    """JSON with one line per recording."""
    parts = []
    for key, rows in sorted(labels.items()):
        lines = [f"  {json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows)]
        body = "{\n" + ",\n".join(lines) + "\n }" if lines else "{}"
        parts.append(f" {json.dumps(key)}: {body}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> int:
    """Label the programs named, or all of them."""
    bad = 0
    for program in programs():
        if sys.argv[1:] and program.name not in sys.argv[1:]:
            continue
        try:
            labels = write(program)
        except UnlabelledError as fault:
            bad += 1
            print(f"{program.name}: no unique label for\n{fault}", file=sys.stderr)
            continue
        count = sum(map(len, labels["recordings"].values()))
        print(f"{program.name}: {count} reports, {sum(map(len, labels['inferred'].values()))} inferred")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
