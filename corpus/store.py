"""Read and write the sets of the corpus. Only this module knows how a set is stored.

    python -m corpus.store unpack main DIR     # a copy to change: one folder per program
    python -m corpus.store pack main DIR       # write the set from such a folder

A set is the folder `corpus/<set>/`:

    go.txtar, c.txtar, rust.txtar   the sources of its programs, as `<program>/<file>`
    truth.jsonl                     the races of each program, one program per line
    labels.jsonl                    the race of each recorded report, one recording per line
    recordings.parquet              the output of the detectors, one recording per row

Code that reads the corpus works on an unpacked copy: `<language>/<program>/` holds the sources, `truth.json`,
`labels.json`, `recorded/<label>.txt` and `variants.txtar`. `unpacked_set` keeps such copies in the user's cache.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpus.truth_c import expected_reports, report_format
from corpus.txtar import format_archive, parse_archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

HERE = Path(__file__).resolve().parent
INDEX = HERE / "index.json"
MAIN = "main"
LANGUAGES = ("go", "c", "rust")
RECORDED, VARIANTS = "recorded", "variants"
# part of the name of an unpacked copy: a change of the layout must change it
LAYOUT = "1"
SANITIZERS = {"address": "asan", "memory": "msan", "undefined": "ubsan"}
COMPRESSION_LEVEL = 19
# texts of one program are similar, and each page is compressed separately
PAGE_BYTES = 16 << 20


@dataclass(frozen=True)
class RecordedText:
    """One row of recordings.parquet."""

    language: str
    program: str
    group: str  # RECORDED: the program as it is; VARIANTS: a changed program
    variant: str  # go1.24-lines, helgrind-varinfo
    detector: str
    toolchain: str
    text: str
    races: list[str] | None  # of its reports; None if it has no labels yet


@dataclass(frozen=True)
class StoredProgram:
    """One program of a set with its label data."""

    language: str
    name: str  # the path of its folder below that of its language
    sources: dict[str, str]
    truth: dict[str, Any]
    labels: dict[str, Any] | None  # the content of labels.json

    def recorded_text(self, group: str, variant: str, text: str) -> RecordedText:
        """The row of one of its recordings."""
        detector, toolchain, races = self.describe_recording(variant)
        return RecordedText(self.language, self.name, group, variant, detector, toolchain, text, races)

    def describe_recording(self, variant: str) -> tuple[str, str, list[str] | None]:
        """Detector, toolchain and race labels of a recording."""
        tool = variant.split("-", maxsplit=1)[0]
        if self.language == "go":
            races = self.labels["recordings"].get(variant) if self.labels else None
            return self.truth["detector"], tool, races
        flags = self.truth.get("sanitize", [])
        checked = [flag.removeprefix("-fsanitize=") for flag in flags]
        detector = next((SANITIZERS[one] for one in checked if one in SANITIZERS), report_format(variant))
        known = [one for one in self.truth.get("variants", []) if one["label"] == variant]
        compiler = next((one["compiler"] for one in known if "compiler" in one), None)
        by_valgrind = tool == report_format(variant)
        reports = expected_reports(self.truth, variant) or []
        races = [report["variable"] for report in reports if report.get("variable")]
        return detector, compiler or ("gcc" if by_valgrind else tool), races


# --- names --------------------------------------------------------------------------------------


def read_index() -> dict[str, dict[str, Any]]:
    """The content of index.json: the sets by name, oldest first."""
    found: dict[str, dict[str, Any]] = json.loads(INDEX.read_text(encoding="utf-8"))
    return found


SETS = tuple(read_index())
HELD_OUT = tuple(name for name in SETS if name != MAIN)
TITLES = {name: about["title"] for name, about in read_index().items()}


def program_names(name: str) -> list[tuple[str, str]]:
    """Language and name of every program of a set."""
    return [(row["language"], row["program"]) for row in _read_lines(name, "truth")]


def sets_with(programs: Sequence[str]) -> list[str]:
    """The sets that have one of these programs; every set if none is named."""
    if not programs:
        return list(SETS)
    names_by_set = {name: {path.rpartition("/")[2] for _, path in program_names(name)} for name in SETS}
    unknown = {*programs}.difference(*names_by_set.values())
    if unknown:
        raise SystemExit(f"no such program: {', '.join(sorted(unknown))}")
    return [name for name in SETS if names_by_set[name] & {*programs}]


# --- reading ------------------------------------------------------------------------------------


def read_programs(name: str) -> list[StoredProgram]:
    """Every program of a set, without its recordings."""
    sources = {language: _read_sources(name, language) for language in LANGUAGES}
    labels: dict[str, dict[str, Any]] = {}
    for row in _read_lines(name, "labels"):
        of_program = labels.setdefault(row["program"], {"inferred": {}, "recordings": {}})
        of_program["recordings"][row["variant"]] = row["races"]
        if "inferred" in row:
            of_program["inferred"][row["variant"]] = row["inferred"]
    return [
        StoredProgram(
            language := row["language"],
            program := row["program"],
            sources[language].get(program, {}),
            row["truth"],
            labels.get(program) if language == "go" else None,
        )
        for row in _read_lines(name, "truth")
    ]


def read_recordings(name: str) -> Iterator[RecordedText]:
    """Every recorded text of a set."""
    import pyarrow.parquet as pq

    for row in pq.read_table(HERE / name / "recordings.parquet").to_pylist():
        yield RecordedText(**row)


def _read_lines(name: str, stem: str) -> list[dict[str, Any]]:
    path = HERE / name / f"{stem}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _read_sources(name: str, language: str) -> dict[str, dict[str, str]]:
    """The sources of one language: program, path, text."""
    archive = HERE / name / f"{language}.txtar"
    found: dict[str, dict[str, str]] = {}
    if archive.exists():
        programs = {path for used, path in program_names(name) if used == language}
        for path, text in parse_archive(archive.read_bytes().decode()).items():
            parts = path.split("/")
            # a program below a folder, such as negatives/clean-run, has a name of two parts
            size = 1 if parts[0] in programs else 2
            found.setdefault("/".join(parts[:size]), {})["/".join(parts[size:])] = text
    return found


# --- unpacked copies ----------------------------------------------------------------------------


@cache
def unpacked_set(name: str) -> Path:
    """A folder with one folder per program, as `<language>/<program>`. Do not change files in it.

    It is made once for each content of the set. Several processes may call this at the same time.
    """
    target = _cache_folder() / f"{name}-{_digest_of(name)}"
    if not target.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{name}-") as temp:
            unpack_set(name, Path(temp, name))
            try:
                Path(temp, name).rename(target)
            except OSError:
                if not target.is_dir():  # else another process has made it
                    raise
    return target


def unpack_set(name: str, target: Path) -> None:
    """Write one folder per program below `target`."""
    target.mkdir(parents=True)
    for program in read_programs(name):
        folder = target / program.language / program.name
        files = {**program.sources, "truth.json": json.dumps(program.truth, indent=2, ensure_ascii=False) + "\n"}
        if program.labels:
            files["labels.json"] = json.dumps(program.labels, indent=1, ensure_ascii=False) + "\n"
        _write_files(folder, files)
    variants: dict[Path, dict[str, str]] = {}
    for row in read_recordings(name):
        folder = target / row.language / row.program
        if row.group == VARIANTS:
            variants.setdefault(folder, {})[row.variant] = row.text
        else:
            _write_files(folder / RECORDED, {f"{row.variant}.txt": row.text})
    for folder, texts in variants.items():
        _write_files(folder, {"variants.txtar": format_archive(texts)})


def change_sets(programs: Sequence[str], folder: Path | None, change: Callable[[Path], int]) -> int:
    """Call `change` with an unpacked copy of each set that has one of the programs; return the sum.

    Each copy is packed afterwards, also after an error or an interrupt. With a folder, `change` works in that
    folder, and nothing is unpacked or packed.
    """
    if folder:
        return change(folder)
    total = 0
    for name in sets_with(programs):
        with tempfile.TemporaryDirectory(prefix="corpus-") as temp:
            work = Path(temp, name)
            unpack_set(name, work)
            try:
                total += change(work)
            finally:
                pack_set(work, name)
    return total


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "deadheat", "corpus")


def _digest_of(name: str) -> str:
    digest = sha256(LAYOUT.encode())
    for path in sorted((HERE / name).iterdir()):
        digest.update(f"\n{path.name} {sha256(path.read_bytes()).hexdigest()}".encode())
    return digest.hexdigest()[:16]


def _write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


# --- packing ------------------------------------------------------------------------------------


def pack_set(folder: Path, name: str) -> None:
    """Write the set `name` from a folder that holds one folder per program."""
    programs = [_read_program(folder, path.parent) for path in sorted(folder.rglob("truth.json"))]
    programs.sort(key=lambda one: (LANGUAGES.index(one.language), one.name))
    texts = [row for one in programs for row in _recorded_texts(folder, one)]
    target = HERE / name
    target.mkdir(exist_ok=True)
    for language in LANGUAGES:
        _write_sources(target / f"{language}.txtar", [p for p in programs if p.language == language])
    truths = [{"language": p.language, "program": p.name, "truth": p.truth} for p in programs]
    _write_lines(target / "truth.jsonl", truths)
    _write_lines(target / "labels.jsonl", [row for one in programs for row in _label_rows(one)])
    _write_recordings(target / "recordings.parquet", texts)
    _update_index(name, programs, len(texts))
    unpacked_set.cache_clear()


def _read_program(root: Path, folder: Path) -> StoredProgram:
    language, _, name = folder.relative_to(root).as_posix().partition("/")
    reserved = {"truth.json", "labels.json", "variants.txtar"}
    paths = [path for path in folder.rglob("*") if path.is_file()]
    names = {path.relative_to(folder).as_posix(): path for path in paths}
    labels = names.get("labels.json")
    return StoredProgram(
        language,
        name,
        {
            name: path.read_bytes().decode()
            for name, path in names.items()
            if name not in reserved and not name.startswith(f"{RECORDED}/")
        },
        json.loads(names["truth.json"].read_bytes()),
        json.loads(labels.read_bytes()) if labels else None,
    )


def _recorded_texts(root: Path, program: StoredProgram) -> Iterator[RecordedText]:
    folder = root / program.language / program.name
    for path in sorted((folder / RECORDED).glob("*.txt")):
        yield program.recorded_text(RECORDED, path.stem, path.read_bytes().decode())
    archive = folder / "variants.txtar"
    if archive.exists():
        for variant, text in sorted(parse_archive(archive.read_bytes().decode()).items()):
            yield program.recorded_text(VARIANTS, variant, text)


def _label_rows(program: StoredProgram) -> Iterator[dict[str, Any]]:
    labels = program.labels or {"recordings": {}, "inferred": {}}
    for variant, races in sorted(labels["recordings"].items()):
        inferred = labels["inferred"].get(variant)
        row = {"program": program.name, "variant": variant, "races": races}
        yield row | ({"inferred": inferred} if inferred else {})


def _write_sources(path: Path, programs: Sequence[StoredProgram]) -> None:
    files = {f"{one.name}/{name}": text for one in programs for name, text in one.sources.items()}
    archive = format_archive(files)
    if parse_archive(archive) != files:
        raise ValueError(f"{path}: a source has a line like a heading, or no newline at its end")
    if files:
        path.write_bytes(archive.encode())
    else:
        path.unlink(missing_ok=True)


def _write_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    path.write_bytes("".join(lines).encode())


def _write_recordings(path: Path, rows: Sequence[RecordedText]) -> None:
    """Write the Parquet file, unless it has these rows already: versions of pyarrow differ in bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ("language", "program", "group", "variant", "detector", "toolchain", "text")
    schema = pa.schema([*((name, pa.string()) for name in names), ("races", pa.list_(pa.string()))])
    table = pa.Table.from_pylist([asdict(row) for row in rows], schema=schema)
    if path.exists() and pq.read_table(path).equals(table):
        return
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=COMPRESSION_LEVEL,
        use_dictionary=[*(name for name in names if name != "text"), "races.list.element"],
        data_page_size=PAGE_BYTES,
    )


def _update_index(name: str, programs: Sequence[StoredProgram], recordings: int) -> None:
    """Write the numbers of programs and recordings of a set into index.json."""
    index = read_index()
    counts = {language: sum(one.language == language for one in programs) for language in LANGUAGES}
    index[name]["programs"] = {language: count for language, count in counts.items() if count}
    index[name]["recordings"] = recordings
    INDEX.write_text(json.dumps(index, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> int:
    """Unpack or pack one set."""
    parser = argparse.ArgumentParser(
        prog="python -m corpus.store", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("unpack", "pack"))
    parser.add_argument("set", choices=SETS)
    parser.add_argument("folder", type=Path, help="one folder per program; must not exist to unpack")
    args = parser.parse_args()
    if args.action == "unpack":
        unpack_set(args.set, args.folder)
    else:
        pack_set(args.folder, args.set)
    return 0


if __name__ == "__main__":
    sys.exit(main())
