"""A comment on a pull request: the new, known and gone races, and the dossier of each new race, folded.

The comment begins with a marker, by which a later run finds it again and replaces it. Where it would exceed the limit
of the code host, the details of races are left out first, then races.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from deadheat.baseline.judgement import GateStanding
from deadheat.output import code_span, code_table_cell
from deadheat.output.ci_formats import linked_site, table_sentence
from deadheat.output.comment_markup import comment_text
from deadheat.output.findings import OncePerRaceFormat, absent_by_state, format_sighting_count, ordered_accesses
from deadheat.output.likely_causes import describe_likely_cause
from deadheat.output.pr_comment_details import RaceDetails, shorten_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from deadheat.output import OutputStyle
    from deadheat.output.findings import AbsentRace, RaceFinding, RaceFindings

# GitHub rejects a comment of more than 65,536 characters: "body is too long (maximum is 65536 characters)". GitLab
# accepts 1,000,000. The rest is a margin for another way to count.
MAX_COMMENT = 65_536
_USED = 64_000
# of the table of new races, and of each list of other races; the details have the rest
_MAX_TABLE, _MAX_LIST = 32_000, 8_000
_MAX_ROWS = 300
# enough for a section without code and stacks; below it, no section is tried
_MIN_SECTION = 500
# beside the marker, if there is no new race: integrations/post_comment.py then only replaces an earlier comment
NOTHING_NEW_MARK = "<!-- deadheat: nothing new -->"


def comment_marker(key: str) -> str:
    """The first line of a comment, which no other job with another key writes."""
    return f"<!-- deadheat pr-comment {key} -->" if key else "<!-- deadheat pr-comment -->"


class PullRequestCommentFormat(OncePerRaceFormat):
    name = "pr-comment"
    prints_causes = True
    shows_links = True
    shows_dossiers = True

    def render_pieces(self, findings: RaceFindings, style: OutputStyle) -> Iterator[str]:
        yield _Comment(findings, style).render()


class LimitedText:
    """Lines that are added while they fit, counted in UTF-16 code units, the largest of the usual counts."""

    def __init__(self, limit: int) -> None:
        self._rest = limit
        self.text = ""
        self.omitted = 0

    @property
    def rest(self) -> int:
        return self._rest

    def add(self, piece: str) -> bool:
        """Adds a piece, unless it does not fit; after the first that does not fit, none is added."""
        size = comment_length(piece)
        if self.omitted or size > self._rest:
            self.omitted += 1
            return False
        self._rest -= size
        self.text += piece
        return True


def comment_length(text: str) -> int:
    return len(text.encode("utf-16-le", "replace")) // 2


class _Comment:
    def __init__(self, findings: RaceFindings, style: OutputStyle) -> None:
        self._style, self._absent = style, findings.absent
        self._failing: list[RaceFinding] = []
        self._others: list[RaceFinding] = []
        self._standings: Counter[GateStanding] = Counter()
        for finding in findings.races:  # a scan may find more than there is memory for
            self._standings[finding.standing or GateStanding.NEW] += 1
            kept = self._failing if finding.fails else self._others
            if len(kept) < _MAX_ROWS:
                kept.append(finding)

    def render(self) -> str:
        head, table, lists = self._head(), self._table(), self._known_list() + self._absent_list()
        rest = _USED - sum(map(comment_length, (head, table, lists)))
        return f"{head}{table}{self._details(rest)}{lists}"

    @property
    def _failing_count(self) -> int:
        return sum(count for standing, count in self._standings.items() if standing.fails)

    def _head(self) -> str:
        job = self._style.job
        marks = [comment_marker(job.key), *([] if self._failing else [NOTHING_NEW_MARK])]
        paragraphs = ["\n".join([*marks, f"### {self._headline()}"])]
        paragraphs += [f"Job {code_span(job.key)}"] if job.key else []
        if not self._failing:
            paragraphs.append("New races that this comment showed for an earlier run were not found in this one.")
        return "\n\n".join(paragraphs) + "\n\n"

    def _headline(self) -> str:
        """`🔴 deadheat: 2 new races (3 known, 1 gone)`."""
        counts: dict[str, int] = {standing.value: count for standing, count in self._standings.items()}
        counts |= {state.replace("_", " "): len(rows) for state, rows in absent_by_state(self._absent).items()}
        new = counts.pop(GateStanding.NEW, 0)
        order = [*(standing.value for standing in GateStanding), *counts]
        others = [f"{counts[name]:,} {name}" for name in dict.fromkeys(order) if counts.get(name)]
        races = f"{new:,} new race{'s' * (new != 1)}" if new else "no new race"
        mark, notes = "🔴" if self._failing else "✅", f" ({', '.join(others)})" if others else ""
        return f"{mark} deadheat: {races}{notes}"

    def _table(self) -> str:
        if not self._failing:
            return ""
        table = LimitedText(_MAX_TABLE)
        table.add("| | race | cause | where | seen | test |\n|---|---|---|---|---|---|\n")
        shown = sum(table.add(self._row(finding)) for finding in self._failing)
        return f"{table.text}\n{self._omission(self._failing_count - shown, 'new race')}"

    def _row(self, finding: RaceFinding) -> str:
        report, verdict = finding.sighting.report, finding.sighting.verdict
        sites = [access.site for access in ordered_accesses(finding)[:2] if access.site and access.site.file]
        cells = [
            f"**{finding.standing or GateStanding.NEW}**",
            f"{comment_text(shorten_name(verdict.title))} {code_table_cell(verdict.race)}",
            table_sentence(describe_likely_cause(finding)),
            "<br>".join(linked_site(site, self._style) for site in sites),
            format_sighting_count(finding.sighting_count).removeprefix("seen "),
            code_table_cell(shorten_name(report.test)) if report.test else "",
        ]
        return f"| {' | '.join(cells)} |\n"

    def _details(self, rest: int) -> str:
        """A section per new race: in full, or without code and stacks, or none, as the room allows."""
        sections, omitted = LimitedText(rest - 2 * _MIN_SECTION), self._failing_count
        for finding in self._failing:
            if sections.rest < _MIN_SECTION:
                break
            details = RaceDetails(finding, self._style)
            section = details.render(in_full=True)
            if comment_length(section) > sections.rest:
                section = details.render(in_full=False)
            if not sections.add(section):
                break
            omitted -= 1
        return f"{sections.text}{self._omission(omitted, 'race', 'The details of ')}"

    def _omission(self, count: int, noun: str, start: str = "") -> str:
        """A note in the comment, and a warning, about what was left out."""
        if count <= 0:
            return ""
        note = f"{start}{count:,} {'more ' * (not start)}{noun}{'s' * (count > 1)}"
        note = f"{note} {'is' if count == 1 and not start else 'are'} left out"
        self._style.job.warn(f"pr-comment: {note}: GitHub accepts {MAX_COMMENT:,} characters")
        return f"*{note}: a comment may have {MAX_COMMENT:,} characters.*\n\n"

    def _known_list(self) -> str:
        count = self._standings.total() - self._failing_count
        lines = (
            f"- {finding.standing}: {comment_text(shorten_name(finding.sighting.verdict.title))}"
            f" {code_span(finding.sighting.verdict.race)}{_note(finding.note)}\n"
            for finding in self._others
        )
        return _folded(f"{count:,} known race{'s' * (count != 1)}", lines, count)

    def _absent_list(self) -> str:
        """The known races that were not found, those that are gone first."""
        count = len(self._absent)
        verb = "was" if count == 1 else "were"
        title = f"{count:,} known race{'s' * (count != 1)} that {verb} not found in this run"
        return _folded(title, map(_absent_line, _gone_first(self._absent)), count)


def _folded(title: str, lines: Iterable[str], count: int) -> str:
    if not count:
        return ""
    folded = LimitedText(_MAX_LIST)
    shown = sum(folded.add(line) for line in lines)
    omission = f"\n… and {count - shown:,} more\n" if count > shown else ""
    return f"<details><summary>{title}</summary>\n\n{folded.text}{omission}\n</details>\n\n"


def _note(note: str) -> str:
    return f" ({comment_text(shorten_name(note))})" if note else ""


def _gone_first(absent: Sequence[AbsentRace]) -> list[AbsentRace]:
    rank = {state: number for number, state in enumerate(absent_by_state(()))}
    return sorted(absent, key=lambda race: rank[race.state.replace(" ", "_")])


def _absent_line(race: AbsentRace) -> str:
    title, why = comment_text(shorten_name(race.title)), comment_text(shorten_name(race.description))
    return f"- {title} {code_span(race.race)} {why}\n"


FORMAT = PullRequestCommentFormat()
