"""SARIF 2.1.0 for code hosts and editors: both sites, the stacks as code flows, stable fingerprints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deadheat._version import __version__
from deadheat.baseline.judgement import GateStanding
from deadheat.grouping.fingerprint import fingerprint_parts, version_of
from deadheat.output.findings import (
    OncePerRaceFormat,
    absent_by_state,
    describe_access,
    file_from_root,
    ordered_accesses,
)
from deadheat.printable import format_json, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Access, Actor, Frame
    from deadheat.output import OutputStyle
    from deadheat.output.findings import RaceFinding, RaceFindings

JsonDict = dict[str, Any]
SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT_URI_BASE_ID = "SRCROOT"
_BASELINE_STATES = {GateStanding.NEW: "new", GateStanding.EXPIRED: "unchanged", GateStanding.KNOWN: "unchanged"}


class SarifFormat(OncePerRaceFormat):
    name = "sarif"
    prints_causes = True

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        kinds: dict[str, int] = {}
        yield f'{{\n"$schema": {json.dumps(SARIF_SCHEMA)},\n"version": "2.1.0",\n"runs": [{{\n"results": ['
        for number, finding in enumerate(findings.races):
            kind = finding.sighting.report.kind
            rule = kinds.setdefault(kind, len(kinds))
            result = _SarifResult(finding, style.root).to_json() | {"ruleId": kind, "ruleIndex": rule}
            yield f"{',' if number else ''}\n{format_json(result)}"
        driver = {"name": "deadheat", "version": __version__, "rules": [_sarif_rule(kind) for kind in kinds]}
        yield '],\n"columnKind": "unicodeCodePoints",\n'
        if findings.absent:
            yield f'"properties": {format_json(absent_by_state(findings.absent))},\n'
        yield f'"tool": {json.dumps({"driver": driver})}\n}}]\n}}\n'


def _sarif_rule(kind: str) -> JsonDict:
    description = kind.replace("-", " ")
    return {
        "id": kind,
        "name": "".join(word.capitalize() for word in description.split()),
        "shortDescription": {"text": f"{description}, reported by a race detector"},
        "defaultConfiguration": {"level": "error"},
    }


class _SarifResult:
    def __init__(self, finding: RaceFinding, root: str) -> None:
        self._finding, self._root = finding, root
        self._report = finding.sighting.report
        self._accesses = ordered_accesses(finding)
        self._actors = {actor.id: actor for actor in self._report.actors}

    def to_json(self) -> JsonDict:
        finding, verdict = self._finding, self._finding.sighting.verdict
        sites = [self._related_location(number, access) for number, access in enumerate(self._accesses)]
        related = [site for site in sites if site is not None]
        flows = [flow for access in self._accesses if (flow := self._thread_flow(access))]
        result: JsonDict = {
            "level": "error" if finding.fails else "note",
            "message": {"text": self._message_text()},
            "locations": [_without_id(related[0])] if related else [self._document_location()],
            "partialFingerprints": {
                "deadheatRace/v1": verdict.race,
                f"deadheatFingerprint/v{version_of(fingerprint_parts(self._report)[0])}": verdict.fingerprint,
            },
            "occurrenceCount": finding.sighting_count,
            "properties": self._property_bag(),
        }
        if related:
            result["relatedLocations"] = related
        if flows:
            result["codeFlows"] = [{"threadFlows": flows}]
        return result | self._standing_fields()

    def _message_text(self) -> str:
        sentences = "; ".join(describe_access(access, self._root) for access in self._accesses)
        title = self._finding.sighting.verdict.title
        return _escape_message(f"{title}: {sentences}." if sentences else f"{title}.")

    def _standing_fields(self) -> JsonDict:
        standing, note = self._finding.standing, self._finding.note
        if standing is None:
            return {}
        if standing is GateStanding.MUTED:
            reason = {"justification": note} if note else {}
            return {"suppressions": [{"kind": "external", "status": "accepted", **reason}]}
        return {"baselineState": _BASELINE_STATES[standing]}

    def _property_bag(self) -> JsonDict:
        report = self._report
        properties: JsonDict = {"detector": report.detector, "places": list(self._finding.locations)}
        properties |= {"test": report.test} if report.test else {}
        causes = [cause.cause for cause in self._finding.sighting.causes]
        properties |= {"causes": causes} if causes else {}
        properties |= {"damage": list(report.damage)} if report.damage else {}
        return properties

    def _related_location(self, number: int, access: Access) -> JsonDict | None:
        if access.site is None:
            return None
        text = _escape_message(describe_access(access, self._root))
        return {"id": number + 1, **self._frame_location(access.site), "message": {"text": text}}

    def _document_location(self) -> JsonDict:
        """The location of the document, used if no code location is known."""
        return {"physicalLocation": {"artifactLocation": {"uri": _path_to_uri(self._finding.sighting.uri)}}}

    def _thread_flow(self, access: Access) -> JsonDict | None:
        """The calls that lead to an access, from the start of its actor inwards."""
        actor = self._actors.get(access.actor)
        steps = [*self._flow_steps(_creation_stack(actor), "starts", 0)]
        steps += self._flow_steps(access.stack, "calls", 1 if steps else 0)
        if not steps:
            return None
        steps[-1]["location"]["message"]["text"] = str(access.op)
        steps[-1]["importance"] = "essential"
        name = {"id": access.actor} if access.actor else {}
        return {**name, "locations": steps}

    def _flow_steps(self, stack: tuple[Frame, ...], action: str, level: int) -> Iterator[JsonDict]:
        for frame in reversed([frame for frame in stack if not frame.stale]):
            location = self._frame_location(frame) | {"message": {"text": action}}
            yield {"location": location, "nestingLevel": level, "importance": "important"}

    def _frame_location(self, frame: Frame) -> JsonDict:
        logical = {"logicalLocations": [{"fullyQualifiedName": frame.function, "kind": "function"}]}
        if not frame.file:
            return logical
        physical: JsonDict = {"artifactLocation": _artifact_location(file_from_root(frame, self._root))}
        if frame.line:
            physical["region"] = {"startLine": frame.line}
        return {"physicalLocation": physical, **logical}


def _escape_message(text: str) -> str:
    """Escapes placeholders, "{0}", and links, "[text](1)"."""
    return visible_text(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")


def _without_id(location: JsonDict) -> JsonDict:
    return {key: value for key, value in location.items() if key != "id"}


def _creation_stack(actor: Actor | None) -> tuple[Frame, ...]:
    return actor.created_at if actor else ()


def _artifact_location(file: str) -> JsonDict:
    uri = _path_to_uri(file)
    return {"uri": uri} if ":" in uri else {"uri": uri, "uriBaseId": _ROOT_URI_BASE_ID}


def _path_to_uri(file: str) -> str:
    """A relative path as a relative reference, an absolute path as a `file:` URI."""
    from urllib.parse import quote  # slow to import, only needed here

    path = file.replace("\\", "/").encode("utf-8", "replace")
    quoted = quote(path, safe="/~")
    if path[1:3] == b":/":
        return f"file:///{path[:1].decode('ascii', 'replace')}:{quote(path[2:], safe='/~')}"
    return f"file://{quoted}" if path[:1] == b"/" else quoted


FORMAT = SarifFormat()
