"""The labelled reports of the corpus; knows no rule."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import deadheat
from corpus import store
from corpus.label_go import is_set_aside, recordings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from deadheat.model import Report, Sighting
    from tests.damage import Damage

# "open" and "aside", the two halves of the main set, or the name of a held-out set
Part = str
VERSION = "version"  # the kind of a recording that differs from others in nothing but the version


@dataclass(frozen=True)
class Item:
    """One labelled report; its sighting is None if the damage left nothing to find."""

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
    items: tuple[Item, ...]


def load(part: Part = "open", languages: Sequence[str] = ("c",)) -> list[Recording]:
    """The recordings of one part of the corpus: the open half, that set aside, or a held-out set."""
    found = [*_go(part), *(one for language in languages for one in _native(part, language))]
    return [one for one in found if one.items]


def _folders(language: str, part: Part) -> list[Path]:
    held_out = part in store.HELD_OUT
    root = store.unpacked_set(part if held_out else store.MAIN)
    folders = sorted(path.parent for path in (root / language).glob("*/truth.json"))
    return [f for f in folders if held_out or is_set_aside(f.name) == (part == "aside")]


def _recording(folder: Path, name: str, kind: str, text: str, races: Sequence[str | None]) -> Recording:
    uri = f"{folder.name}/{name}"
    sightings = deadheat.scan(text, uri, diagnose=False)
    if len(sightings) != len(races):
        raise SystemExit(f"{uri}: {len(sightings)} reports, {len(races)} labels: label it again")
    labelled = [(race, s) for race, s in zip(races, sightings, strict=True) if race]
    # what two detectors say of one variable is not compared: their texts have little in common
    items = tuple(Item(f"{race} ({s.report.detector})", kind, uri, s) for race, s in labelled)
    return Recording(folder, uri, kind, text, items)


def _go(part: Part) -> Iterator[Recording]:
    for folder in _folders("go", part):
        labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))["recordings"]
        for name, text in recordings(folder):
            kind = name.partition("-")[2] or VERSION
            races = [f"{folder.name} {variable}" for variable in labels[name]]
            yield _recording(folder, name, kind, text, races)


def _native(part: Part, language: str) -> Iterator[Recording]:
    """C, C++, Rust: a detector's reports are labelled by what the truth says that they show."""
    for folder in _folders(language, part):
        truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["reports"]
        for path in sorted((folder / "recorded").glob("*.txt")):
            text = path.read_text(encoding="utf-8")
            tool, _, kind = path.stem.partition("-")
            races: list[str | None] = []
            for sighting in deadheat.scan(text, diagnose=False):
                names = (path.stem, tool, sighting.report.detector)
                told: list[dict[str, Any]] = next((truth[n] for n in names if n in truth), [])
                races.append(_native_race(folder.name, sighting.report, told))
            yield _recording(folder, path.stem, kind or VERSION, text, races)


def _native_race(program: str, report: Report, told: list[dict[str, Any]]) -> str | None:
    fits = {one["variable"] for one in told if _fits(report, one)}
    names = fits if len(fits) == 1 else {one["variable"] for one in told}
    return f"{program} {names.pop()}" if len(names) == 1 else None


def _fits(report: Report, told: dict[str, Any]) -> bool:
    """Whether a report shows the sites, callers and place that the truth names."""
    sites = {_spot(a.site.file, a.site.line) for a in report.accesses if a.site}
    known = {_spot(s["file"], s["line"]) for p in told.get("pairs", [told["sites"]]) for s in p}
    functions = {frame.function for access in report.accesses for frame in access.stack}
    place = report.location and report.location.name
    wanted = (told.get("location") or {}).get("name")
    return (
        report.kind == told["kind"]
        and sites <= known
        and functions >= {*told.get("callers", [])}
        and (not place or not wanted or place == wanted)
    )


def _spot(file: str, line: int | None) -> str:
    return f"{file.rpartition('/')[2]}:{line}"


# --- damage -------------------------------------------------------------------------------------


def damaged(recordings: Sequence[Recording], damages: Sequence[Damage], seed: int) -> list[Item]:
    """The reports that are left when each recording meets one damage, and those that are lost.

    A report that is there but cannot be told from another one is lost, too.
    """
    rng = random.Random(seed)
    out: list[Item] = []
    for recording in recordings:
        damage = rng.choice(damages)
        raw = damage.apply(recording.text, random.Random(rng.random()))
        left = list(recording.items)
        # another text than the clean one, so that what is the same in both is no evidence
        for sighting in deadheat.scan(raw, f"{recording.uri} {damage.name}", diagnose=False):
            item = _origin(sighting.report, recording.items, left)
            if item is None:
                continue
            out.append(replace(item, kind=damage.name, sighting=sighting))
            left = [one for one in left if one is not item]
        out += [replace(one, kind=damage.name, sighting=None) for one in left]
    return out


def _origin(report: Report, items: Sequence[Item], left: Sequence[Item]) -> Item | None:
    """The report that a damaged one was: the one with which it has most in common.

    Of several that are the same but for their place, one that no other has been taken for.
    """
    mine = _features(report)
    shared = [(sum((mine & _features(i.sighting.report)).values()), i) for i in items if i.sighting]
    best = max((count for count, _ in shared), default=0)
    likely = [item for count, item in shared if count == best > 0]
    if len({item.race for item in likely}) != 1:
        return None
    return next((item for item in likely if any(item is one for one in left)), likely[0])


def _features(report: Report) -> Counter[str]:
    features: Counter[str] = Counter()
    for access in report.accesses:
        features.update(_spot(frame.file, frame.line) for frame in access.stack)
        features.update([f"@{access.address}"] * 50 if access.address else [])
    return features
