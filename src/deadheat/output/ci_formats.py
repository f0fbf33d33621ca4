"""Formats for CI systems: GitHub annotations, GitLab code quality, JUnit XML and a Markdown job summary."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from deadheat.baseline.absence import AbsenceState
from deadheat.baseline.judgement import GateStanding
from deadheat.output import (
    code_block,
    code_span,
    code_table_cell,
    escape_html,
    escape_markdown,
    escape_markdown_element,
)
from deadheat.output.findings import (
    OncePerRaceFormat,
    describe_access,
    file_from_root,
    format_sighting_count,
    frame_location,
    ordered_accesses,
    summarize_absent,
    summarize_races,
)
from deadheat.output.likely_causes import describe_first_remedy, describe_likely_cause, likely_cause, without_marks
from deadheat.printable import format_json, shorten, split_code, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.model import Access, Actor, Frame
    from deadheat.output import OutputStyle
    from deadheat.output.findings import AbsentRace, RaceFinding, RaceFindings


_ESCAPED_IN_DATA = re.compile(r"[%\r\n]")
_ESCAPED_IN_PROPERTY = re.compile(r"[%\r\n:,]")


# the limits of the API for annotations are 255 characters and 64 KB, which a character may be 4 bytes of
_MAX_ANNOTATION_TITLE, _MAX_ANNOTATION = 255, 16_000


def _name_race(finding: RaceFinding) -> str:
    """`new race 47d9f89aa0ce7b72`; without a gate, a race is neither new nor known."""
    standing = f"{finding.standing} " if finding.standing else ""
    return f"{standing}race {finding.sighting.verdict.race}"


def _cause_lines(finding: RaceFinding) -> list[str]:
    """Cause and remedy, as far as known."""
    cause, remedy = describe_likely_cause(finding), describe_first_remedy(finding)
    return [f"cause: {without_marks(cause)}"] * bool(cause) + [f"to fix it: {without_marks(remedy)}"] * bool(remedy)


class GitHubFormat(OncePerRaceFormat):
    name = "github"
    prints_causes = True

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        for finding in findings.races:
            yield _github_annotation(finding, style.root)
        for absent in findings.absent:
            text = f"{absent.title} ({absent.race}), {absent.description}"
            yield f"::notice title=known race not seen::{_escape_github_data(text)}\n"


def _github_annotation(finding: RaceFinding, root: str) -> str:
    report, verdict = finding.sighting.report, finding.sighting.verdict
    accesses = ordered_accesses(finding)
    site = next((access.site for access in accesses if access.site), None)
    title = f"new race: {verdict.title}" if finding.standing is GateStanding.NEW else verdict.title
    properties = [f"title={_escape_github_property(shorten(title, _MAX_ANNOTATION_TITLE))}"]
    if site and site.file:
        properties.insert(0, f"file={_escape_github_property(file_from_root(site, root))}")
        properties.insert(1, f"line={site.line or 1}")
    lines = [*(describe_access(access, root) for access in accesses), *_cause_lines(finding)]
    lines += [f"test {report.test}"] if report.test else []
    lines.append(f"{_name_race(finding)}, {format_sighting_count(finding.sighting_count)} by {report.detector}")
    lines += [f"first at {finding.locations[0]}"] if finding.locations else []
    lines += [finding.note] if finding.note else []
    message = _escape_github_data(shorten("\n".join(lines), _MAX_ANNOTATION))
    level = "error" if finding.fails else "notice"
    return f"::{level} {','.join(properties)}::{message}\n"


def _escape_github_data(text: str) -> str:
    return _ESCAPED_IN_DATA.sub(_percent_encode, visible_text(text, "\n"))


def _escape_github_property(text: str) -> str:
    return _ESCAPED_IN_PROPERTY.sub(_percent_encode, visible_text(text))


def _percent_encode(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"


GITHUB_FORMAT = GitHubFormat()


class GitLabFormat(OncePerRaceFormat):
    name = "gitlab"
    prints_causes = True

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        separator = "["
        for finding in findings.races:
            yield f"{separator}\n{format_json(_gitlab_issue(finding, style.root))}"
            separator = ","
        yield "[]\n" if separator == "[" else "\n]\n"


def _gitlab_issue(finding: RaceFinding, root: str) -> dict[str, object]:
    verdict, report = finding.sighting.verdict, finding.sighting.report
    accesses = ordered_accesses(finding)
    site = next((access.site for access in accesses if access.site and access.site.file), None)
    name, cause = _name_race(finding), describe_likely_cause(finding)
    parts = [verdict.title, *([without_marks(cause)] if cause else [])]
    parts += ["; ".join(describe_access(access, root) for access in accesses)] if accesses else []
    count = format_sighting_count(finding.sighting_count)
    return {
        "description": visible_text(f"{name[:1].upper()}{name[1:]}: {'. '.join(parts)} ({count})"),
        "check_name": likely_cause(finding) or report.kind,
        "fingerprint": verdict.race,
        "severity": "critical" if finding.fails else "info",
        "location": {
            "path": file_from_root(site, root) if site else finding.sighting.uri,
            "lines": {"begin": (site.line or 1) if site else 1},
        },
        "categories": ["Bug Risk"],
    }


GITLAB_FORMAT = GitLabFormat()


class JUnitFormat(OncePerRaceFormat):
    name = "junit"
    prints_causes = True

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        races = list(findings.races)
        failed = sum(finding.fails for finding in races)
        absent = findings.absent
        not_gone = sum(race.state is not AbsenceState.GONE for race in absent)
        # some readers reject a suite without a test case
        counts = f'tests="{max(1, len(races) + len(absent))}" failures="{failed}" errors="0"'
        skipped = f'skipped="{len(races) - failed + not_gone}"'  # only allowed on a suite
        yield '<?xml version="1.0" encoding="UTF-8"?>\n'
        yield f'<testsuites {counts}>\n<testsuite name="deadheat" {counts} {skipped}>\n'
        for finding in races:
            yield _junit_case(finding, style.root)
        yield from map(_junit_absent_case, absent)
        if not races and not absent:
            yield '<testcase classname="deadheat" name="no race"/>\n'
        yield "</testsuite>\n</testsuites>\n"


def _junit_case(finding: RaceFinding, root: str) -> str:
    verdict, report = finding.sighting.verdict, finding.sighting.report
    site = next((access.site for access in ordered_accesses(finding) if access.site), None)
    location_attributes = f' file="{_escape_attribute(file_from_root(site, root))}"' if site and site.file else ""
    location_attributes += f' line="{site.line}"' if site and site.line else ""
    owner = site.package if site and site.package else report.detector
    name = f"{verdict.title} ({verdict.race})"
    return (
        f'<testcase classname="{_escape_attribute(owner)}" name="{_escape_attribute(name)}"{location_attributes}>'
        f"{_junit_failure(finding, root) if finding.fails else _junit_skipped(finding)}</testcase>\n"
    )


def _junit_absent_case(absent: AbsentRace) -> str:
    """A known race that is gone is a test that passed."""
    name = f'<testcase classname="deadheat" name="{_escape_attribute(f"{absent.title} ({absent.race})")}"'
    if absent.state is AbsenceState.GONE:
        return f"{name}/>\n"
    return f'{name}><skipped message="{_escape_attribute(absent.description)}"/></testcase>\n'


def _escape_attribute(text: str) -> str:
    """XML has no line ends and tabs in attributes."""
    return escape_html(text, keep="")


def _junit_skipped(finding: RaceFinding) -> str:
    why = f"{finding.standing}: {finding.note}" if finding.note else str(finding.standing)
    return f'<skipped message="{_escape_attribute(why)}"/>'


def _junit_failure(finding: RaceFinding, root: str) -> str:
    report, verdict = finding.sighting.report, finding.sighting.verdict
    actors = {actor.id: actor for actor in report.actors}
    lines = [f"{_name_race(finding)}, {format_sighting_count(finding.sighting_count)} by {report.detector}"]
    lines += [f"in {report.test}"] if report.test else []
    lines += [f"at {where}" for where in finding.locations]
    lines += _cause_lines(finding)
    for access in ordered_accesses(finding):
        lines += ["", *access_stack_lines(access, actors.get(access.actor), root)]
    failure_text = "\n".join(escape_html(line, keep="") for line in lines)
    cause = without_marks(describe_likely_cause(finding))
    message = f"{verdict.title}: {cause}" if cause else verdict.title
    message = f"new race: {message}" if finding.standing is GateStanding.NEW else message
    kind = _escape_attribute(likely_cause(finding) or report.kind)
    return f'<failure type="{kind}" message="{_escape_attribute(message)}">{failure_text}</failure>'


JUNIT_FORMAT = JUnitFormat()


# rows of each table, sections, frames of a stack
_MAX_TABLE_ROWS, _MAX_SECTIONS, _MAX_FRAMES = 500, 100, 30
# of the table, the list of races that were not found, and the sections: a job summary is limited to 1 MiB
_MAX_TABLE_BYTES, _MAX_LIST_BYTES, _MAX_SECTION_BYTES = 400_000, 200_000, 400_000
_MAX_NAME = 300  # characters of a title or a place
_STANDING_LABELS = {
    GateStanding.NEW: "🔴 new", GateStanding.EXPIRED: "🔴 expired", GateStanding.BACK: "🔴 back", None: "🔴",
}  # fmt: skip


class MarkdownFormat(OncePerRaceFormat):
    name = "markdown"
    prints_causes = True
    shows_links = True

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        races = sorted(findings.races, key=lambda finding: not finding.fails)
        yield f"## deadheat: {summarize_races(races) if races else 'no race'}\n\n"
        if races:
            rows = (_markdown_row(finding, style) for finding in races)
            shown = list(_fitting(rows, _MAX_TABLE_ROWS, _MAX_TABLE_BYTES))
            yield "| | race | cause | where | seen | test |\n|---|---|---|---|---|---|\n"
            yield f"{''.join(shown)}{_omitted_note(len(races) - len(shown), 'race')}\n"
        if findings.absent:
            yield f"Known races not found in this run ({escape_markdown(summarize_absent(findings.absent))}):\n\n"
            shown = list(_fitting(map(_markdown_absence, findings.absent), _MAX_TABLE_ROWS, _MAX_LIST_BYTES))
            yield f"{''.join(shown)}{_omitted_note(len(findings.absent) - len(shown), 'race')}\n"
        failing = [finding for finding in races if finding.fails]
        sections = (_markdown_section(finding, style) for finding in failing)
        shown = list(_fitting(sections, _MAX_SECTIONS, _MAX_SECTION_BYTES))
        yield f"{''.join(shown)}{_omitted_note(len(failing) - len(shown), 'section')}"


def _fitting(pieces: Iterable[str], max_count: int, max_bytes: int) -> Iterator[str]:
    """The first pieces, up to a number and a size."""
    for piece in islice(pieces, max_count):
        max_bytes -= len(piece.encode("utf-8", "replace"))
        if max_bytes < 0:
            return
        yield piece


def _markdown_absence(absent: AbsentRace) -> str:
    title, description = (escape_markdown(shorten(text, _MAX_NAME)) for text in (absent.title, absent.description))
    return f"- {title} {code_span(absent.race)} {description}\n"


def _omitted_note(count: int, noun: str) -> str:
    return f"\n… and {count} more {noun}{'s' * (count > 1)}\n" if count > 0 else ""


def _markdown_row(finding: RaceFinding, style: OutputStyle) -> str:
    report, verdict = finding.sighting.report, finding.sighting.verdict
    sites = [access.site for access in ordered_accesses(finding) if access.site and access.site.file]
    where = "<br>".join(linked_site(site, style) for site in sites)
    mark = _STANDING_LABELS.get(finding.standing) or escape_markdown(str(finding.standing))
    test = code_table_cell(report.test) if report.test else ""
    note = f"<br>{escape_markdown(finding.note)}" if finding.note else ""
    title = f"{escape_markdown(shorten(verdict.title, _MAX_NAME))} {code_table_cell(verdict.race)}"
    cause = describe_likely_cause(finding)
    cells = [f"{mark}{note}", title, table_sentence(cause), where, str(finding.sighting_count), test]
    return f"| {' | '.join(cells)} |\n"


def table_sentence(text: str) -> str:
    """A sentence with code between backticks, for a table cell."""
    return "".join(code_table_cell(part) if is_code else escape_markdown(part) for part, is_code in split_code(text))


def linked_site(site: Frame, style: OutputStyle) -> str:
    """The place of an access in a table cell, with a link if the code host is known."""
    place = code_table_cell(shorten(frame_location(site, style.root), _MAX_NAME))
    url = style.links.file_url(file_from_root(site, style.root), site.line) if style.links else ""
    return f"[{place}](<{url}>)" if url else place


def _markdown_section(finding: RaceFinding, style: OutputStyle) -> str:
    report, verdict = finding.sighting.report, finding.sighting.verdict
    actors = {actor.id: actor for actor in report.actors}
    stacks = "\n\n".join(
        "\n".join(access_stack_lines(access, actors.get(access.actor), style.root))
        for access in ordered_accesses(finding)
    )
    facts = [f"race {code_span(verdict.race)}", f"detector {code_span(report.detector)}"]
    facts += [f"test {code_span(report.test)}"] if report.test else []
    facts += [f"{format_sighting_count(finding.sighting_count)}, first at {code_span(finding.locations[0])}"]
    causes = "".join(f"- {escape_markdown(line)}\n" for line in _cause_lines(finding))
    return (
        f"<details><summary>{escape_markdown_element(verdict.title)}</summary>\n\n"
        f"{', '.join(facts)}\n\n{causes}\n{code_block(stacks)}\n\n</details>\n"
    )


def access_stack_lines(access: Access, actor: Actor | None, root: str) -> list[str]:
    """An access with its stack and that of the creation of its actor, the inner frames of each."""
    lines = [describe_access(access, root), *_frame_lines(access.stack, root)]
    if actor and actor.created_at:
        lines += ["  created at", *_frame_lines(actor.created_at, root)]
    return [visible_text(line) for line in lines]


def _frame_lines(stack: tuple[Frame, ...], root: str) -> list[str]:
    frames = [frame for frame in stack if not frame.stale]
    lines = [f"    {frame.function}  {frame_location(frame, root)}" for frame in frames[:_MAX_FRAMES]]
    return [*lines, f"    … {len(frames) - _MAX_FRAMES} more"] if len(frames) > _MAX_FRAMES else lines


MARKDOWN_FORMAT = MarkdownFormat()

FORMATS = (GITHUB_FORMAT, GITLAB_FORMAT, JUNIT_FORMAT, MARKDOWN_FORMAT)
