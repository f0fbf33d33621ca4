"""One race as lines for a terminal: with both stacks, as an item of a list, or on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis import diagnose
from deadheat.diagnosis.finding import UNKNOWN
from deadheat.grouping.fingerprint import fingerprint_parts, version_of
from deadheat.grouping.keys import grouping_key_of, race_address
from deadheat.output import dossier_sentences
from deadheat.output.access_text import INDENT, AccessText, site_locations
from deadheat.output.findings import ABSENCE_LABELS, format_sighting_count, summarize_causes
from deadheat.output.layout import ELLIPSIS, LabelledText, TextPainter, cut_end, plain_sentence, wrap_text, wrap_words
from deadheat.printable import visible_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Claim, Document, Report
    from deadheat.output import OutputStyle
    from deadheat.output.findings import AbsentRace, RaceFinding

# the width of a line that is not wrapped
_NO_LIMIT = 1 << 20
# between facts on one line
_SEPARATOR = "  "
# where the text of an item of a list begins: "    12x  "
_LIST_INDENT = " " * 9
_CAUSE_LABEL = "cause: "
# the kinds of claims that are shown, and the text before their value
_CLAIM_PREFIXES = {
    "version": "",
    "suspect": "suspects",
    "workaround": "workaround:",
    "setting": "needs",
    "injection": "injected",
}


class RaceText:
    """Formats races as lines that are not longer than the width."""

    def __init__(self, style: OutputStyle) -> None:
        self._style = style
        self._width = style.width if style.is_wrapped else _NO_LIMIT
        self._paint = TextPainter(style.colour)
        self._accesses = AccessText(style)

    def full_lines(self, number: int, finding: RaceFinding) -> list[str]:
        """Title, id, places and cause; then both accesses with their stacks."""
        report = finding.sighting.report
        title = wrap_text(f"{number}. {visible_text(finding.sighting.verdict.title)}", self._width, "", INDENT)
        facts = [finding.sighting.verdict.race, *describe_report_facts(report)]
        return [
            *(self._paint(line, "bold") for line in title),
            *self._fact_lines(finding, [*facts, format_sighting_count(finding.sighting_count)], INDENT),
            *(line for place in finding.locations for line in self._dimmed(place)),
            *(line for fact in _diagnosis_facts(finding) for line in self._wrapped(fact, f"{INDENT}  ")),
            *self.claim_lines(finding.sighting.document),
            *self._detail_lines(finding),
            "",
            *self.stack_lines(report),
            "",
        ]

    def stack_lines(self, report: Report) -> list[str]:
        """Both accesses with their stacks, and the memory location."""
        return [*self._accesses.access_lines(report), *self._accesses.location_lines(report.location)]

    def list_lines(self, finding: RaceFinding) -> list[str]:
        """Count and title, then id, racing lines and cause."""
        sighting = finding.sighting
        first, *rest = wrap_text(visible_text(sighting.verdict.title), self._width, _LIST_INDENT, _LIST_INDENT)
        count = self._paint(_count_column(finding), "yellow")
        causes = [fact.removeprefix(_CAUSE_LABEL) for fact in _diagnosis_facts(finding)]
        facts = [sighting.verdict.race, *site_locations(sighting.report, self._style.root), *causes]
        return [
            count + self._paint(first[len(_LIST_INDENT) :], "bold"),
            *(self._paint(line, "bold") for line in rest),
            *self._fact_lines(finding, facts, _LIST_INDENT),
            *self._detail_lines(finding),
        ]

    def brief_lines(self, finding: RaceFinding) -> list[str]:
        """Count, title, id and first place on one line; on a terminal on more if they do not fit."""
        verdict = finding.sighting.verdict
        standing = [str(finding.standing)] if finding.standing else []
        facts = [*standing, visible_text(verdict.title), verdict.race, *map(visible_text, finding.locations[:1])]
        count = _count_column(finding)
        lines = wrap_words(facts, self._width, count, _LIST_INDENT, separator=_SEPARATOR)
        return [self._paint(count, "yellow") + lines[0][len(count) :], *lines[1:]]

    def known_lines(self, finding: RaceFinding) -> list[str]:
        """A race that does not fail a gate."""
        verdict = finding.sighting.verdict
        note = [f"({finding.note})"] if finding.note else []
        return self._one_line_each([str(finding.standing), verdict.title, verdict.race, *note], "dim")

    def absent_lines(self, absent: AbsentRace) -> list[str]:
        """A race of the baseline that was not found."""
        label = ABSENCE_LABELS[absent.state.replace(" ", "_")]
        return self._one_line_each([label, absent.title, absent.race, f"({absent.why})"], "cyan")

    def _one_line_each(self, facts: list[str], colour: str) -> list[str]:
        first, *others = map(visible_text, facts)
        lines = wrap_words([f"{first:5}", *others], self._width, "", INDENT, separator=_SEPARATOR)
        return [self._paint(line, colour) for line in lines]

    def claim_lines(self, document: Document | None) -> list[str]:
        """The claims of the bug report, on at most two lines."""
        text = _describe_claims(document) if document else ""
        if not text:
            return []
        first, *rest = wrap_text(visible_text(f"the author says: {text}"), self._width, INDENT, INDENT)
        second = f"{rest[0]}{ELLIPSIS}" if rest[1:] else "".join(rest)
        return [self._paint(cut_end(line, self._width), "dim") for line in (first, second) if line]

    def _detail_lines(self, finding: RaceFinding) -> list[str]:
        """What --why and --cause ask for."""
        identity = self._identity_lines(finding.sighting.report) if self._style.why else []
        return [*identity, *(self._diagnosis_lines(finding.sighting.report) if self._style.cause else [])]

    def _identity_lines(self, report: Report) -> list[str]:
        """The parts of the fingerprint, and what else joins or separates races."""
        kind, *side_keys = fingerprint_parts(report)
        key = grouping_key_of(report)
        lines = [f"fingerprint {key.fingerprint} (version {version_of(kind)}): {kind}", *side_keys]
        callers = sorted({side.callers[0] for side in key.side_keys} - {""})
        if callers:
            lines.append(f"called by {', '.join(callers)}: separates races if one run has two objects")
        if (address := race_address(report)) != 0:
            lines.append(f"at 0x{address:x}: the same address in the same run is the same race")
        return [wrapped for line in lines for wrapped in self._dimmed(line)]

    def _diagnosis_lines(self, report: Report) -> list[str]:
        """What is not ordered, what speaks for the cause, and what to change, from the report alone."""
        best = next((finding for finding in diagnose(report) if finding.cause != UNKNOWN), None)
        if best is None:
            return []
        text = LabelledText(self._width, self._paint, INDENT)
        return [
            *text.sentences("missing", [best.missing_order] if best.missing_order else []),
            *text.sentences("evidence", map(str, best.evidence)),
            *text.sentences("remedy", [str(best.remedy)] if best.remedy else []),
        ]

    def _fact_lines(self, finding: RaceFinding, facts: list[str], indent: str) -> list[str]:
        """The standing in a gate and other facts, on one line if they fit."""
        standing = [] if finding.standing is None else [visible_text(f"{finding.standing} {finding.note}".strip())]
        first, *rest = wrap_words([*standing, *facts], self._width, indent, indent, separator=_SEPARATOR)
        end = len(indent) + len(standing[0]) if standing else 0
        return [
            self._paint(first[:end], "yellow") + self._paint(first[end:], "dim"),
            *(self._paint(line, "dim") for line in rest),
        ]

    def _dimmed(self, text: str) -> list[str]:
        lines = wrap_text(visible_text(text), self._width, INDENT, INDENT)
        return [self._paint(line, "dim") for line in lines]

    def _wrapped(self, text: str, indent: str) -> list[str]:
        return wrap_text(visible_text(text), self._width, INDENT, indent)


def _diagnosis_facts(finding: RaceFinding) -> list[str]:
    """The cause; with a clone of the code also the variable and the fix."""
    if finding.dossier is None:
        cause = summarize_causes(finding.sighting.causes)
        return [plain_sentence(f"{_CAUSE_LABEL}{cause}")] if cause else []
    facts = [f"{_CAUSE_LABEL}{dossier_sentences.summarize_cause(finding.dossier)}"]
    if finding.dossier["variable"]:
        facts.append(f"variable: {dossier_sentences.describe_variable(finding.dossier)[0]}")
    if finding.dossier["fixed_by"]:
        facts.append(f"fix: {dossier_sentences.summarize_fix(finding.dossier)}")
    return list(map(plain_sentence, facts))


def _count_column(finding: RaceFinding) -> str:
    """`    12x  `."""
    return f"{finding.sighting_count:6}x  "


def describe_report_facts(report: Report) -> Iterator[str]:
    """Detector, test and damage."""
    yield report.detector
    if report.test:
        yield f"in {visible_text(report.test)}"
    if report.damage:
        yield f"text damaged: {', '.join(report.damage)}"


def _describe_claims(document: Document) -> str:
    texts = dict.fromkeys(_describe_claim(claim) for claim in document.claims if claim.kind in _CLAIM_PREFIXES)
    steps = sum(claim.kind == "step" for claim in document.claims)
    texts |= {f"{steps} step{'s' * (steps > 1)} to reproduce it": None} if steps else {}
    return "; ".join(text for text in texts if text)


def _describe_claim(claim: Claim) -> str:
    """`found in v5.2.2`, `suspects acme/outbox#203`, `workaround: GOMAXPROCS=1`."""
    if claim.kind == "version":
        return f"{claim.role.replace('-', ' ')} {claim.value}" if claim.role != "mentioned" else ""
    return f"{_CLAIM_PREFIXES[claim.kind]} {claim.value}"
