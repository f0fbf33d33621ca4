"""SARIF 2.1.0 for code hosts and editors: both sites, the stacks as code flows, stable fingerprints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from deadheat._version import __version__
from deadheat.gate.judge import Standing
from deadheat.identity.fingerprint import FINGERPRINT_VERSION
from deadheat.render import escape
from deadheat.render.findings import EachOnce, file_of, sentence, sides
from deadheat.wire import causes_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Access, Actor, Frame
    from deadheat.render import Style
    from deadheat.render.findings import Finding, Findings

Plain = dict[str, Any]
SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "SRCROOT"
_STATES = {Standing.NEW: "new", Standing.EXPIRED: "unchanged", Standing.KNOWN: "unchanged"}


class Sarif(EachOnce):
    name = "sarif"

    def pieces(self, findings: Findings, style: Style) -> Iterator[str]:
        kinds: dict[str, int] = {}
        yield f'{{\n"$schema": {json.dumps(SCHEMA)},\n"version": "2.1.0",\n"runs": [{{\n"results": ['
        for number, finding in enumerate(findings.races):
            kind = finding.sighting.report.kind
            rule = kinds.setdefault(kind, len(kinds))
            made = _Result(finding, style.root).plain() | {"ruleId": kind, "ruleIndex": rule}
            yield f"{',' if number else ''}\n{json.dumps(made, ensure_ascii=False)}"
        driver = {
            "name": "deadheat",
            "version": __version__,
            "rules": [_rule(kind) for kind in kinds],
        }
        yield '],\n"columnKind": "unicodeCodePoints",\n'
        yield f'"tool": {json.dumps({"driver": driver})}\n}}]\n}}\n'


def _rule(kind: str) -> Plain:
    words = escape.shown(kind.replace("-", " "))
    return {
        "id": kind,
        "name": "".join(word.capitalize() for word in words.split()),
        "shortDescription": {"text": f"{words}, reported by a race detector"},
        "defaultConfiguration": {"level": "error"},
    }


class _Result:
    def __init__(self, finding: Finding, root: str) -> None:
        self._finding, self._root = finding, root
        self._report = finding.sighting.report
        self._sides = sides(finding)
        self._actors = {actor.id: actor for actor in self._report.actors}

    def plain(self) -> Plain:
        finding, verdict = self._finding, self._finding.sighting.verdict
        sites = [self._site(number, access) for number, access in enumerate(self._sides)]
        related = [site for site in sites if site is not None]
        flows = [flow for access in self._sides if (flow := self._flow(access))]
        result: Plain = {
            "level": "error" if finding.fails else "note",
            "message": {"text": self._message()},
            "locations": [_without_id(related[0])] if related else [self._document()],
            "partialFingerprints": {
                "deadheatRace/v1": verdict.race,
                f"deadheatFingerprint/v{FINGERPRINT_VERSION}": verdict.fingerprint,
            },
            "occurrenceCount": finding.seen,
            "properties": self._properties(),
        }
        if related:
            result["relatedLocations"] = related
        if flows:
            result["codeFlows"] = [{"threadFlows": flows}]
        return result | self._standing()

    def _message(self) -> str:
        told = "; ".join(sentence(access, self._root) for access in self._sides)
        title = self._finding.sighting.verdict.title
        return _message(f"{title}: {told}." if told else f"{title}.")

    def _standing(self) -> Plain:
        standing, note = self._finding.standing, self._finding.note
        if standing is None:
            return {}
        if standing is Standing.MUTED:
            reason = {"justification": escape.shown(note)} if note else {}
            return {"suppressions": [{"kind": "external", "status": "accepted", **reason}]}
        return {"baselineState": _STATES[standing]}

    def _properties(self) -> Plain:
        report = self._report
        places = [escape.shown(place) for place in self._finding.places]
        told: Plain = {"detector": report.detector, "places": places}
        told |= {"test": escape.shown(report.test)} if report.test else {}
        causes = [cause.cause for cause in causes_of(report)]
        told |= {"causes": causes} if causes else {}
        told |= {"damage": list(report.damage)} if report.damage else {}
        return told

    def _site(self, number: int, access: Access) -> Plain | None:
        if access.site is None:
            return None
        said = _message(sentence(access, self._root))
        return {"id": number + 1, **self._location(access.site), "message": {"text": said}}

    def _document(self) -> Plain:
        """The location of the document, used if no code location is known."""
        return {"physicalLocation": {"artifactLocation": {"uri": _uri(self._finding.sighting.uri)}}}

    def _flow(self, access: Access) -> Plain | None:
        """The calls that lead to an access, from the start of its actor inwards."""
        actor = self._actors.get(access.actor)
        steps = [*self._steps(_created(actor), "starts", 0)]
        steps += self._steps(access.stack, "calls", 1 if steps else 0)
        if not steps:
            return None
        steps[-1]["location"]["message"]["text"] = escape.shown(str(access.op))
        steps[-1]["importance"] = "essential"
        name = {"id": escape.shown(access.actor)} if access.actor else {}
        return {**name, "locations": steps}

    def _steps(self, stack: tuple[Frame, ...], does: str, level: int) -> Iterator[Plain]:
        for frame in reversed([frame for frame in stack if not frame.stale]):
            location = self._location(frame) | {"message": {"text": does}}
            yield {"location": location, "nestingLevel": level, "importance": "important"}

    def _location(self, frame: Frame) -> Plain:
        named = escape.shown(frame.function)
        logical = {"logicalLocations": [{"fullyQualifiedName": named, "kind": "function"}]}
        if not frame.file:
            return logical
        physical: Plain = {"artifactLocation": _artifact(file_of(frame, self._root))}
        if frame.line:
            physical["region"] = {"startLine": frame.line}
        return {"physicalLocation": physical, **logical}


def _message(text: str) -> str:
    """Escapes placeholders, "{0}", and links, "[text](1)"."""
    return escape.shown(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")


def _without_id(location: Plain) -> Plain:
    return {key: value for key, value in location.items() if key != "id"}


def _created(actor: Actor | None) -> tuple[Frame, ...]:
    return actor.created_at if actor else ()


def _artifact(file: str) -> Plain:
    uri = _uri(file)
    return {"uri": uri} if ":" in uri else {"uri": uri, "uriBaseId": _ROOT}


def _uri(file: str) -> str:
    """A relative path as a relative reference, an absolute path as a `file:` URI."""
    from urllib.parse import quote  # slow to import, only needed here

    path = file.replace("\\", "/").encode("utf-8", "replace")
    quoted = quote(path, safe="/~")
    if path[1:3] == b":/":
        return f"file:///{path[:1].decode('ascii', 'replace')}:{quote(path[2:], safe='/~')}"
    return f"file://{quoted}" if path[:1] == b"/" else quoted


RENDERER = Sarif()
