"""Golden cases: `cases/<detector>/<what-it-proves>.txt` and the expected JSON next to it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import deadheat
from deadheat import api

if TYPE_CHECKING:
    from deadheat.model import Access, Frame, Location, LockEdge, Sighting

ROOT = Path(__file__).parent / "cases"
SHARED = Path(__file__).parent.parent.parent / "shared"


@dataclass(frozen=True)
class Case:
    name: str
    path: Path

    @property
    def raw(self) -> bytes:
        return self.path.read_bytes()

    @property
    def expected_path(self) -> Path:
        return self.path.with_suffix(".json")

    @property
    def expected(self) -> list[dict[str, Any]]:
        expected: list[dict[str, Any]] = json.loads(self.expected_path.read_text())
        return expected

    def sightings(self) -> list[Sighting]:
        return deadheat.scan(self.raw, self.name, opt_in=self.path.parent.name == "go_error", diagnose=False)


def all_cases() -> list[Case]:
    paths = sorted(ROOT.glob("*/*.txt"))
    return [Case(f"{path.parent.name}/{path.stem}", path) for path in paths]


def assert_same_after_round_trip(sighting: Sighting) -> None:
    """Assert that a diagnosed sighting has equal JSON and causes after it was JSON, also if it is diagnosed again."""
    line = json.dumps(deadheat.sighting_to_wire(sighting))
    read = deadheat.sighting_from_wire(json.loads(line))
    for again in (read, api.diagnose_sighting(read)):
        assert again == sighting
        assert again.causes == sighting.causes
        assert json.dumps(deadheat.sighting_to_wire(again)) == line


def summarise_sighting(sighting: Sighting) -> dict[str, Any]:
    """A sighting for readable diffs: one line per frame."""
    report, verdict, span = sighting.report, sighting.verdict, sighting.span
    optional = {
        "location": report.location and _summarise_location(report.location),
        "locks": [[k.id, k.address, [_format_frame(f) for f in k.created_at]] for k in report.locks],
        "cycle": [_summarise_edge(edge) for edge in report.cycle],
        "facts": dict(report.facts),
    }
    return {
        "detector": report.detector,
        "kind": report.kind,
        "title": verdict.title,
        "fingerprint": verdict.fingerprint,
        "test": report.test,
        "damage": list(report.damage),
        "place": [span.offset, span.length, span.stream],
        "accesses": [_summarise_access(access) for access in report.accesses],
        "actors": [
            {"id": a.id, "state": a.state, "created_at": [_format_frame(f) for f in a.created_at]}
            for a in report.actors
        ],
        # omit fields that most detectors do not have
        **{key: value for key, value in optional.items() if value},
    }


def _summarise_location(location: Location) -> dict[str, Any]:
    fields = location._asdict() | {"stack": [_format_frame(f) for f in location.stack]}
    return {key: value for key, value in fields.items() if value not in (None, [])}


def _summarise_edge(edge: LockEdge) -> dict[str, Any]:
    return {
        "step": f"{edge.held} => {edge.acquired} by {edge.actor}",
        "stack": [_format_frame(f) for f in edge.stack],
        "held_stack": [_format_frame(f) for f in edge.held_stack],
    }


def _summarise_access(access: Access) -> dict[str, Any]:
    optional = {"size": access.size, "locks": list(access.locks)}
    return {
        "op": access.op,
        "address": access.address,
        "actor": access.actor,
        "site": access.site and _format_frame(access.site),
        "stack": [_format_frame(frame) for frame in access.stack],
        **{key: value for key, value in optional.items() if value},
    }


def _format_frame(frame: Frame) -> str:
    marks = f"{frame.origin}{' stale' * frame.stale}{' inlined' * frame.inlined}"
    return f"{frame.function} | {frame.package} | {frame.file}:{frame.line} | {marks}"


def operations_and_sites(sighting: Sighting) -> list[tuple[str, str]]:
    """What damage must not change: operations and sites, in any order."""
    return sorted(
        (a.op.value, (a.site and f"{a.site.function} {a.site.file}:{a.site.line}") or "")
        for a in sighting.report.accesses
    )
