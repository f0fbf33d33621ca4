"""Load the labelled reports of the corpus, as recorded or damaged."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import deadheat
from corpus import store
from corpus.label_go import is_set_aside, program_recordings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from deadheat.model import Report, Sighting
    from tests.damage import Damage

# "open" and "aside", the two halves of the main set, or the name of a held-out set
Part = str
VERSION_ONLY = "version"  # kind of a recording of the unchanged program


@dataclass(frozen=True)
class LabelledReport:
    """A labelled report. Its sighting is None if the damaged report is not found."""

    race: str
    kind: str
    uri: str
    sighting: Sighting | None


@dataclass(frozen=True)
class Recording:
    """One recorded text with its labelled reports."""

    folder: Path  # of its program
    uri: str
    kind: str
    text: str
    items: tuple[LabelledReport, ...]


def load_recordings(part: Part = "open", languages: Sequence[str] = ("c",)) -> list[Recording]:
    """The recordings of one part of the corpus that have labelled reports."""
    found = [*_go_recordings(part), *(one for language in languages for one in _native_recordings(part, language))]
    return [one for one in found if one.items]


def _program_folders(language: str, part: Part) -> list[Path]:
    held_out = part in store.HELD_OUT
    root = store.unpacked_set(part if held_out else store.MAIN)
    folders = sorted(path.parent for path in (root / language).glob("*/truth.json"))
    return [f for f in folders if held_out or is_set_aside(f.name) == (part == "aside")]


def _label_recording(folder: Path, name: str, kind: str, text: str, races: Sequence[str | None]) -> Recording:
    uri = f"{folder.name}/{name}"
    sightings = deadheat.scan(text, uri, diagnose=False)
    if len(sightings) != len(races):
        raise SystemExit(f"{uri}: {len(sightings)} reports, {len(races)} labels: label it again")
    labelled = [(race, s) for race, s in zip(races, sightings, strict=True) if race]
    # reports of two detectors about one variable are different races here: their texts have little in common
    items = tuple(LabelledReport(f"{race} ({s.report.detector})", kind, uri, s) for race, s in labelled)
    return Recording(folder, uri, kind, text, items)


def _go_recordings(part: Part) -> Iterator[Recording]:
    for folder in _program_folders("go", part):
        labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))["recordings"]
        for name, text in program_recordings(folder):
            kind = name.partition("-")[2] or VERSION_ONLY
            races = [f"{folder.name} {variable}" for variable in labels[name]]
            yield _label_recording(folder, name, kind, text, races)


def _native_recordings(part: Part, language: str) -> Iterator[Recording]:
    """Recordings of C, C++ and Rust programs, labelled by the sites in truth.json."""
    for folder in _program_folders(language, part):
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["reports"]
        for path in sorted((folder / "recorded").glob("*.txt")):
            text = path.read_text(encoding="utf-8")
            tool, _, kind = path.stem.partition("-")
            races: list[str | None] = []
            for sighting in deadheat.scan(text, diagnose=False):
                names = (path.stem, tool, sighting.report.detector)
                expected: list[dict[str, Any]] = next((truth[n] for n in names if n in truth), [])
                races.append(_native_race_label(folder.name, sighting.report, expected))
            yield _label_recording(folder, path.stem, kind or VERSION_ONLY, text, races)


def _native_race_label(program: str, report: Report, expected: list[dict[str, Any]]) -> str | None:
    matching = {one["variable"] for one in expected if _matches_truth(report, one)}
    names = matching if len(matching) == 1 else {one["variable"] for one in expected}
    return f"{program} {names.pop()}" if len(names) == 1 else None


def _matches_truth(report: Report, expected: dict[str, Any]) -> bool:
    """Whether a report has the sites, callers and location of an entry of truth.json."""
    sites = {_file_and_line(a.site.file, a.site.line) for a in report.accesses if a.site}
    expected_sites = {
        _file_and_line(s["file"], s["line"]) for p in expected.get("pairs", [expected["sites"]]) for s in p
    }
    functions = {frame.function for access in report.accesses for frame in access.stack}
    location = report.location and report.location.name
    expected_location = (expected.get("location") or {}).get("name")
    return (
        report.kind == expected["kind"]
        and sites <= expected_sites
        and functions >= {*expected.get("callers", [])}
        and (not location or not expected_location or location == expected_location)
    )


def _file_and_line(file: str, line: int | None) -> str:
    return f"{file.rpartition('/')[2]}:{line}"


# --- damage -------------------------------------------------------------------------------------


def damage_reports(recordings: Sequence[Recording], damages: Sequence[Damage], seed: int) -> list[LabelledReport]:
    """Apply one random damage to each recording; reports that are not found again have no sighting.

    A report that cannot be attributed to one race counts as lost.
    """
    rng = random.Random(seed)
    results: list[LabelledReport] = []
    for recording in recordings:
        damage = rng.choice(damages)
        raw = damage.apply(recording.text, random.Random(rng.random()))
        remaining = list(recording.items)
        # a URI other than that of the clean text: equal addresses must not join the two
        for sighting in deadheat.scan(raw, f"{recording.uri} {damage.name}", diagnose=False):
            item = _original_report(sighting.report, recording.items, remaining)
            if item is None:
                continue
            results.append(replace(item, kind=damage.name, sighting=sighting))
            remaining = [one for one in remaining if one is not item]
        results += [replace(one, kind=damage.name, sighting=None) for one in remaining]
    return results


def _original_report(
    report: Report, items: Sequence[LabelledReport], remaining: Sequence[LabelledReport]
) -> LabelledReport | None:
    """The undamaged report with the most features in common; of equal ones, one that is not assigned yet."""
    features = _report_features(report)
    shared = [(sum((features & _report_features(i.sighting.report)).values()), i) for i in items if i.sighting]
    best = max((count for count, _ in shared), default=0)
    candidates = [item for count, item in shared if count == best > 0]
    if len({item.race for item in candidates}) != 1:
        return None
    return next((item for item in candidates if any(item is one for one in remaining)), candidates[0])


def _report_features(report: Report) -> Counter[str]:
    features: Counter[str] = Counter()
    for access in report.accesses:
        features.update(_file_and_line(frame.file, frame.line) for frame in access.stack)
        features.update([f"@{access.address}"] * 50 if access.address else [])
    return features
