"""SARIF 2.1.0 for code hosts and editors: a rule per cause, both sites, stacks as code flows, stable fingerprints."""

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
from deadheat.output.project_pages import PROJECT_URL
from deadheat.output.sarif_limits import (
    MAX_ABSENT_RACES,
    MAX_ABSENT_TEXT,
    MAX_LOCATIONS,
    MAX_MESSAGE_PART,
    MAX_RESULTS,
    MAX_THREAD_FLOW_LOCATIONS,
    CompressedSize,
    Omissions,
)
from deadheat.output.sarif_message import escape_message, result_message
from deadheat.output.sarif_rules import RuleTable
from deadheat.printable import format_json, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.model import Access, Actor, Frame
    from deadheat.output import JobContext, OutputStyle
    from deadheat.output.findings import AbsentRace, RaceFinding, RaceFindings

JsonDict = dict[str, Any]
SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT_URI_BASE_ID = "SRCROOT"
_BASELINE_STATES = {
    GateStanding.NEW: "new", GateStanding.BACK: "new",
    GateStanding.EXPIRED: "unchanged", GateStanding.KNOWN: "unchanged",
}  # fmt: skip


class SarifFormat(OncePerRaceFormat):
    name = "sarif"
    prints_causes = True
    shows_dossiers = True

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        run = _SarifRun(style)
        yield f'{{\n"$schema": {json.dumps(SARIF_SCHEMA)},\n"version": "2.1.0",\n"runs": [{{\n"results": ['
        yield from run.result_pieces(findings.races)
        yield f"],\n{run.remaining_fields(findings.absent)}\n}}]\n}}\n"
        for _, note in run.omissions.notes():
            style.job.warn(f"sarif: {note}")


class _SarifRun:
    """One run, within the limits of GitHub. Results are written one by one, the most important first."""

    def __init__(self, style: OutputStyle) -> None:
        self._style, self._rules, self._size = style, RuleTable(), CompressedSize()
        self._count = 0
        self.omissions = Omissions()

    def result_pieces(self, races: Iterable[RaceFinding]) -> Iterator[str]:
        for finding in _failing_first(races):
            # once a race does not fit, no less important one is written
            is_full = self.omissions.races > 0 or self._count >= MAX_RESULTS
            piece = "" if is_full else self._fitting_piece(finding)
            if piece:
                self._count += 1
                yield piece
            else:
                self.omissions.races += 1

    def _fitting_piece(self, finding: RaceFinding) -> str:
        """The text of a result, without its stacks if it does not fit with them; empty if it does not fit at all."""
        result = _SarifResult(finding, self._style.root)
        fields = result.to_json() | self._rules.reference(finding)
        piece = self._piece(fields)
        if self._size.add_if_fits(piece.encode("utf-8", "replace")):
            self.omissions.add(result.omissions)
            return piece
        fields.pop("codeFlows", None)
        piece = self._piece(fields)
        if not self._size.add_if_fits(piece.encode("utf-8", "replace")):
            return ""
        self.omissions.add(Omissions(stacks=1, locations=result.omissions.locations))
        return piece

    def _piece(self, fields: JsonDict) -> str:
        return f"{',' if self._count else ''}\n{format_json(fields)}"

    def remaining_fields(self, absent: tuple[AbsentRace, ...]) -> str:
        """The fields of the run that are written after the results."""
        driver = {
            "name": "deadheat",
            "version": __version__,
            "semanticVersion": __version__,
            "informationUri": PROJECT_URL,
            "rules": self._rules.to_json(),
        }
        fields: JsonDict = {"columnKind": "unicodeCodePoints"} | _job_fields(self._style.job)
        if absent:
            self.omissions.absent = max(0, len(absent) - MAX_ABSENT_RACES)
            fields["properties"] = absent_by_state(map(_shortened_absence, absent[:MAX_ABSENT_RACES]))
        notifications = [
            {"level": "warning", "message": {"text": escape_message(note)}, "descriptor": {"id": name}}
            for name, note in self.omissions.notes()
        ]
        fields["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notifications}]
        fields["tool"] = {"driver": driver}
        return ",\n".join(f"{json.dumps(name)}: {format_json(value)}" for name, value in fields.items())


def _failing_first(races: Iterable[RaceFinding]) -> Iterator[RaceFinding]:
    """Those that fail first, else in their order: often seen before seldom seen. Only a gate has others."""
    others = []
    for finding in races:
        if finding.fails:
            yield finding
        else:
            others.append(finding)
    yield from others


def _job_fields(job: JobContext) -> JsonDict:
    """The category of the upload, so that jobs do not overwrite each other's results, and the version of the code."""
    fields: JsonDict = {}
    category = job.key or job.name
    if category:  # GitHub's category is what comes before the last slash
        fields["automationDetails"] = {"id": f"deadheat/{category}/{job.run}"}
    if job.repository:
        version = {"repositoryUri": job.repository, "revisionId": job.commit, "branch": job.branch}
        fields["versionControlProvenance"] = [{name: value for name, value in version.items() if value}]
    return fields


def _shortened_absence(race: AbsentRace) -> AbsentRace:
    return race._replace(title=shorten(race.title, MAX_ABSENT_TEXT), why=shorten(race.why, MAX_ABSENT_TEXT))


class _SarifResult:
    def __init__(self, finding: RaceFinding, root: str) -> None:
        self._finding, self._root = finding, root
        self.omissions = Omissions()
        self._report = finding.sighting.report
        accesses = ordered_accesses(finding)
        self._accesses = accesses[:MAX_LOCATIONS]
        self.omissions.locations = len(accesses) - len(self._accesses)
        self._actors = {actor.id: actor for actor in self._report.actors}

    def to_json(self) -> JsonDict:
        finding, verdict = self._finding, self._finding.sighting.verdict
        sites = [self._related_location(number, access) for number, access in enumerate(self._accesses)]
        related = [site for site in sites if site is not None]
        max_steps = MAX_THREAD_FLOW_LOCATIONS // max(1, len(self._accesses))
        flows = [flow for access in self._accesses if (flow := self._thread_flow(access, max_steps))]
        result: JsonDict = {
            "level": "error" if finding.fails else "note",
            "message": result_message(finding, self._accesses, self._root),
            "locations": [_without_id(related[0])] if related else [self._document_location()],
            "partialFingerprints": {
                "deadheatRace/v1": verdict.race,
                f"deadheatFingerprint/v{version_of(fingerprint_parts(self._report)[0])}": verdict.fingerprint,
            },
            "occurrenceCount": finding.sighting_count,
            # without "primaryLocationLineHash": upload-sarif computes it, and warns about any other value
            "properties": self._property_bag(),
        }
        if related:
            result["relatedLocations"] = related
        if flows:
            result["codeFlows"] = [{"threadFlows": flows}]
        return result | self._standing_fields()

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
        text = escape_message(shorten(describe_access(access, self._root), MAX_MESSAGE_PART))
        return {"id": number + 1, **self._frame_location(access.site), "message": {"text": text}}

    def _document_location(self) -> JsonDict:
        """The location of the document, used if no code location is known."""
        return {"physicalLocation": {"artifactLocation": {"uri": _path_to_uri(self._finding.sighting.uri)}}}

    def _thread_flow(self, access: Access, max_steps: int) -> JsonDict | None:
        """The calls that lead to an access, from the start of its actor inwards; the inner ones if there are many."""
        calls, starts = _live_frames(access.stack), _live_frames(_creation_stack(self._actors.get(access.actor)))
        kept_calls = calls[:max_steps]
        kept_starts = starts[: max_steps - len(kept_calls)]
        self.omissions.frames += len(calls) - len(kept_calls) + len(starts) - len(kept_starts)
        steps = [*self._flow_steps(kept_starts, "starts", 0)]
        steps += self._flow_steps(kept_calls, "calls", 1 if steps else 0)
        if not steps:
            return None
        steps[-1]["location"]["message"]["text"] = str(access.op)
        steps[-1]["importance"] = "essential"
        name = {"id": access.actor} if access.actor else {}
        return {**name, "locations": steps}

    def _flow_steps(self, frames: list[Frame], action: str, level: int) -> Iterator[JsonDict]:
        for frame in reversed(frames):
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


def _without_id(location: JsonDict) -> JsonDict:
    return {key: value for key, value in location.items() if key != "id"}


def _live_frames(stack: tuple[Frame, ...]) -> list[Frame]:
    return [frame for frame in stack if not frame.stale]


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
