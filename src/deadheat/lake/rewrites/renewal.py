"""Makes the row of a report anew: from its kept text with the present parser, or from its columns.

The columns are enough for fingerprint, title and keys. Everything else needs the text."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deadheat._version import PARSER_VERSION
from deadheat.api import verdict_for
from deadheat.diagnosis import causes_of_report
from deadheat.grouping.fingerprint import FINGERPRINT_VERSION
from deadheat.lake import kept_text, report_row, sighting_rows
from deadheat.lake.schema import REPORTS
from deadheat.model import Cause

if TYPE_CHECKING:
    from deadheat.lake.report_row import MaskedReport

    JsonDict = dict[str, Any]

# the columns that tell whether a row is to be made anew
VERSION_COLUMNS: Final = ("parser_version", "fingerprint_version")
_FINGERPRINT: Final = REPORTS.get_field_index("fingerprint")


class Outcome(StrEnum):
    PARSED = "parsed"  # from the text
    NO_TEXT = "no text"  # from the columns, because no text is kept
    UNREADABLE = "unreadable"  # from the columns, because the text does not give a report any more


class ReportChange(NamedTuple):
    """What changes in the sightings of a report."""

    old: str  # its digest before
    new: str
    fingerprint: str
    damage: int
    name_sources: tuple[int | None, ...]  # for each placeholder, its number before; None if there was none
    names: tuple[str, ...]  # of the sighting that the text is from
    old_names: tuple[str, ...]

    def has_names(self, names: list[str]) -> bool:
        """Whether the names of all placeholders are known for a sighting with these names before."""
        return None not in self.name_sources or (*names[: len(self.old_names)],) == self.old_names

    def apply(self, row: JsonDict) -> None:
        """Change the row of a sighting, except for its variant."""
        old = row["names"]
        pairs = zip(self.name_sources, self.names, strict=True)
        own = [name if source is None else old[source] for source, name in pairs]
        row |= {
            "report": self.new, "fingerprint": self.fingerprint, "damage": self.damage,
            "names": [*own, *_instructions(old)], "parser_version": PARSER_VERSION,
        }  # fmt: skip


class RenewedReport(NamedTuple):
    """What becomes of the row of a report. If its digest stays, only its versions can change."""

    outcome: Outcome
    versions: tuple[int, int]
    change: ReportChange | None = None
    values: tuple[Any, ...] = ()  # of the new row, in the order of the columns


def versions_of(row: JsonDict) -> tuple[int, int]:
    return row["parser_version"] or 0, row["fingerprint_version"] or 0


def is_older(row: JsonDict) -> bool:
    parser, fingerprint = versions_of(row)
    return parser < PARSER_VERSION or fingerprint < FINGERPRINT_VERSION


def renew_report(row: JsonDict) -> RenewedReport:
    names: list[str] | None = row["text_names"]
    if names is None:
        return RenewedReport(Outcome.NO_TEXT, versions_of(row))
    known = sighting_rows.report_of_row(row, names)
    parsed = None if row["text"] is None else kept_text.parse_text(row["text"], known)
    if parsed is not None:
        masked = report_row.mask_report(parsed, verdict_for(parsed), causes_of_report(parsed))
        return _renewed(row, names, Outcome.PARSED, masked, len(parsed.damage))
    outcome = Outcome.NO_TEXT if row["text"] is None else Outcome.UNREADABLE
    verdict = verdict_for(known)
    masked = report_row.mask_report(known, verdict, _causes_of_row(row))
    is_same = (verdict.fingerprint, verdict.title, masked.details.keys) == (
        row["fingerprint"],
        row["title"],
        row["keys"],
    )
    # replaced surrogates and names that cannot be restored change the digest as well
    if is_same or masked.names != _placeholder_names(names):
        return RenewedReport(outcome, (versions_of(row)[0], FINGERPRINT_VERSION))
    return _renewed(row, names, outcome, masked, len(known.damage))


def _renewed(row: JsonDict, names: list[str], outcome: Outcome, masked: MaskedReport, damage: int) -> RenewedReport:
    # a row that is not parsed keeps its version, so that the next parser is tried
    versions = PARSER_VERSION if outcome is Outcome.PARSED else versions_of(row)[0], FINGERPRINT_VERSION
    if masked.digest == row["digest"]:
        return RenewedReport(outcome, versions)
    values = (*masked.row, row["text"], [*masked.names, *_instructions(names)], *versions)
    old_names = _placeholder_names(names)
    positions = {name: number for number, name in reversed([*enumerate(old_names)])}
    sources = tuple([positions.get(name) for name in masked.names])
    fingerprint = str(masked.row[_FINGERPRINT])
    change = ReportChange(
        row["digest"], masked.digest, fingerprint, damage, sources, tuple(masked.names), tuple(old_names)
    )
    return RenewedReport(outcome, versions, change, values)


def _placeholder_names(names: list[str]) -> list[str]:
    return names[: len(names) - len(report_row.instructions_in(names))]


def _causes_of_row(row: JsonDict) -> tuple[Cause, ...]:
    """The causes as they were found. Some need what is only in the text, such as the offsets of frames."""
    return tuple(Cause(one["cause"], one["confidence"], tuple(one["evidence"])) for one in row["causes"])


def _instructions(names: list[str]) -> list[str]:
    """The names of a sighting that have no placeholder."""
    return [f"+{name}" for name in report_row.instructions_in(names)]
