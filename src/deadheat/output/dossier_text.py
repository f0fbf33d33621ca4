"""A dossier as text for a terminal: the answer first, then both racing lines, then what supports it, stacks last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import plugins
from deadheat.diagnosis.finding import UNKNOWN
from deadheat.grouping.fingerprint import accesses_in_title_order
from deadheat.output import dossier_sentences as sentences
from deadheat.output.access_text import INDENT, describe_operation
from deadheat.output.findings import format_sighting_count, frame_location
from deadheat.output.layout import (
    LabelledText,
    TextPainter,
    break_line,
    cell_width,
    cut_end,
    pad_end,
    wrap_text,
    wrap_words,
)
from deadheat.output.race_text import RaceText
from deadheat.printable import visible_text
from deadheat.symbols.display import shorten_function, shorten_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.model import Access
    from deadheat.output import OutputStyle
    from deadheat.output.dossier_sentences import JsonDict
    from deadheat.output.findings import RaceFinding

_DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
# narrower lines of code are not readable next to each other
_MIN_WIDTH_FOR_COLUMNS = 140
_COLUMN_GAP = "   "
_OWNERS_IN_SUMMARY = 2


class DossierText:
    """Formats dossiers as lines that are not longer than the width."""

    def __init__(self, style: OutputStyle, shows_diff: bool = False) -> None:
        self._style, self._shows_diff = style, shows_diff
        self._paint = TextPainter(style.colour)
        self._labelled = LabelledText(style.width, self._paint)
        self._race = RaceText(style)

    def __call__(self, finding: RaceFinding, dossier: JsonDict, number: int = 0) -> str:
        """The dossier; its title has a number if there are several."""
        parts = (
            self._heading_lines(finding, number),
            self._summary_lines(dossier),
            self._snippet_blocks(finding, dossier),
            self._reason_lines(dossier),
            self._history_lines(dossier),
            self._stack_lines(finding),
        )
        return "".join(f"{line}\n" for part in parts if (lines := list(part)) for line in (*lines, ""))

    def _heading_lines(self, finding: RaceFinding, number: int) -> Iterator[str]:
        """Title; then id, detector, test, where the report is, and how often it was seen."""
        report, verdict, width = finding.sighting.report, finding.sighting.verdict, self._style.width
        title = visible_text(verdict.title)
        for line in wrap_text(f"{number}. {title}" if number else title, width):
            yield self._paint(line, "bold")
        test = [f"in {report.test}"] if report.test else []
        facts = [f"race {verdict.race}", plugins.display_name(report.detector), *test]
        facts += [f"text damaged: {', '.join(report.damage)}"] if report.damage else []
        for line in wrap_words([*map(visible_text, facts)], width, "", "", separator=" · "):
            yield self._paint(line, "dim")
        seen = f"{format_sighting_count(finding.sighting_count)}:"
        for line in wrap_words([seen, *map(visible_text, finding.locations)], width, "", "  "):
            yield self._paint(line, "dim")

    def _summary_lines(self, dossier: JsonDict) -> Iterator[str]:
        text = self._labelled
        yield from text.sentences("variable", sentences.describe_variable(dossier)[:1])
        yield from text.sentences("cause", [sentences.summarize_cause(dossier)], "bold")
        yield from text.sentences("missing", sentences.describe_missing_order(dossier))
        yield from text.sentences("affected", [sentences.summarize_versions(dossier)])
        fix = sentences.summarize_fix(dossier)
        has_hidden_diff = bool(dossier.get("fix_diff")) and not self._shows_diff
        yield from text.sentences("fix", [f"{fix}; --diff shows it" if has_hidden_diff else fix])
        owners = [owner["who"] for owner in dossier["owners"][:_OWNERS_IN_SUMMARY]]
        yield from text.sentences("owner", [", ".join(owners) if owners else sentences.NO_OWNER])

    def _snippet_blocks(self, finding: RaceFinding, dossier: JsonDict) -> Iterator[str]:
        """Both racing lines with the code around them, side by side on a wide terminal."""
        accesses = [access for access in accesses_in_title_order(finding.sighting.report) if access.site][:2]
        is_split = len(accesses) == 2 and self._style.width >= _MIN_WIDTH_FOR_COLUMNS
        width = self._style.width - len(INDENT)
        column_width = (width - len(_COLUMN_GAP)) // 2 if is_split else width
        blocks = [list(self._snippet_lines(access, finding, dossier, column_width)) for access in accesses]
        if is_split:
            height = max(map(len, blocks))
            left, right = (block + [("", "")] * (height - len(block)) for block in blocks)
            for (text, colour), (other, other_colour) in zip(left, right, strict=True):
                line = (
                    f"{self._paint(pad_end(text, column_width), colour)}{_COLUMN_GAP}{self._paint(other, other_colour)}"
                )
                yield f"{INDENT}{line}".rstrip()
            return
        for index, block in enumerate(blocks):
            yield from [""] * bool(index)
            yield from ((INDENT + self._paint(*line)).rstrip() for line in block)

    def _snippet_lines(
        self, access: Access, finding: RaceFinding, dossier: JsonDict, width: int
    ) -> Iterator[tuple[str, str]]:
        """Operation and place of an access, then its lines of code with their colours."""
        site = access.site
        assert site is not None
        actor = next((actor for actor in finding.sighting.report.actors if actor.id == access.actor), None)
        yield cut_end(describe_operation(access._replace(address=None), actor), width), "red"
        place = f"  {shorten_path(visible_text(frame_location(site, self._style.root)), width - 2)}"
        name = shorten_function(visible_text(site.function), width - 2)
        if cell_width(place) + cell_width(name) + 4 <= width:
            yield f"{place} in {name}", ""
        else:
            yield f"  {cut_end(name, width - 2)}", ""
            yield place, ""
        snippet = sentences.snippet_at(dossier, site.file, site.line)
        for number, row in enumerate(snippet["lines"], snippet["first"]) if snippet else ():
            is_racing = number == site.line
            text = f"{'>' if is_racing else ' '} {number:5}  {visible_text(row.expandtabs(4))}".rstrip()
            yield cut_end(text, width), "yellow" if is_racing else ""

    def _reason_lines(self, dossier: JsonDict) -> Iterator[str]:
        text = self._labelled
        is_known = dossier["cause"] is not None and dossier["cause"]["cause"] != UNKNOWN
        yield from text.sentences("based on" if is_known else "to find out", sentences.describe_basis(dossier))
        yield from text.sentences("evidence", sentences.cause_evidence(dossier))
        yield from text.sentences("remedy", sentences.describe_remedy(dossier))
        if self._shows_diff and dossier.get("fix_diff"):
            yield from text.lines("diff", self._diff_lines(dossier["fix_diff"]))
        elif self._shows_diff:
            yield from text.sentences("diff", [sentences.explain_missing_diff(dossier)])
        commands = sentences.reproduction_commands(dossier)
        # the steps of a document need not be commands of a shell
        if commands and dossier["reproduce"]["claimed"]:
            rows = [line for step in commands for line in wrap_text(visible_text(step), text.text_width, "", "  ")]
            yield from text.lines("reproduce", rows)
        else:
            yield from text.commands("reproduce", map(visible_text, commands))
        yield from text.sentences("" if commands else "reproduce", sentences.reproduction_notes(dossier))

    def _diff_lines(self, diff: Iterable[str]) -> Iterator[str]:
        for row in diff:
            for piece in break_line(visible_text(row.expandtabs(4)), self._labelled.text_width, ""):
                yield self._paint(piece, _DIFF_COLOURS.get(row[:1], ""))

    def _history_lines(self, dossier: JsonDict) -> Iterator[str]:
        for label, facts in (
            ("variable", sentences.describe_variable(dossier)[1:]),
            ("version", sentences.describe_version(dossier)),
            ("dependency", sentences.describe_dependency(dossier)),
            ("fixed by", sentences.describe_fixes(dossier)),
            ("verified", sentences.describe_verifications(dossier)),
            ("introduced", sentences.describe_introducing_commits(dossier)),
            ("similar fix", sentences.describe_similar_fixes(dossier)),
            ("claims", sentences.describe_checked_claims(dossier)),
            ("owners", sentences.describe_owners(dossier)),
            ("related", dossier["related"]),
            ("not checked", sentences.describe_missing_facts(dossier)),
            ("stale", sentences.describe_stale_frames(dossier)),
        ):
            yield from self._labelled.sentences(label, facts)

    def _stack_lines(self, finding: RaceFinding) -> Iterator[str]:
        yield self._paint("stacks", "bold")
        yield from self._race.claim_lines(finding.sighting.document)
        yield from self._race.stack_lines(finding.sighting.report)
