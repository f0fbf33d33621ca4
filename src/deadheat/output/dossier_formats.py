"""Dossiers as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.output import dossier_sentences
from deadheat.output.text_format import RaceText, TextPainter
from deadheat.printable import quote_code, split_code, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Sighting
    from deadheat.output import OutputStyle
    from deadheat.output.dossier_sentences import JsonDict


class DossierText:
    """Formats dossiers as lines for a terminal."""

    def __init__(self, style: OutputStyle) -> None:
        self._paint = TextPainter(style.colour)
        self._race_text = RaceText(style)

    def __call__(self, number: int, sighting: Sighting, dossier: JsonDict) -> str:
        title, body = self._race_text(sighting)
        head = self._paint(f"{number}. {title}", "bold")
        return "\n".join([head, body, "", *self._labelled_lines(dossier)]) + "\n\n"

    def _labelled_lines(self, dossier: JsonDict) -> Iterator[str]:
        for label, lines in (
            ("variable", dossier_sentences.describe_variable(dossier)),
            ("cause", dossier_sentences.describe_cause(dossier)),
            ("evidence", dossier_sentences.cause_evidence(dossier)),
            ("remedy", dossier_sentences.describe_remedy(dossier)),
            ("version", dossier_sentences.describe_version(dossier)),
            ("dependency", dossier_sentences.describe_dependency(dossier)),
            ("fixed by", dossier_sentences.describe_fixes(dossier)),
            ("diff", [quote_code(line.expandtabs(4)) for line in dossier.get("fix_diff", ())]),
            ("introduced", dossier_sentences.describe_introducing_commits(dossier)),
            ("similar fix", dossier_sentences.describe_similar_fixes(dossier)),
            ("claims", dossier_sentences.describe_checked_claims(dossier)),
            ("stale", dossier_sentences.describe_stale_frames(dossier)),
            ("reproduce", dossier_sentences.describe_reproduction(dossier)),
            ("owners", dossier_sentences.describe_owners(dossier)),
            ("related", dossier["related"]),
            ("missing", dossier_sentences.describe_missing_facts(dossier)),
        ):
            for index, line in enumerate(lines):
                name = self._paint(f"{label:11}", "cyan") if not index else " " * 11
                yield f"   {name} {visible_text(''.join(text for text, _ in split_code(line)))}"
