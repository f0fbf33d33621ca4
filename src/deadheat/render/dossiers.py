"""A dossier as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.render import facts
from deadheat.render.text import Paint, RaceText, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Sighting
    from deadheat.render import Style
    from deadheat.render.facts import Plain

# marks code in a sentence; removed for the terminal
_TICK = "`"


class DossierText:
    """Formats dossiers as lines for a terminal."""

    def __init__(self, style: Style) -> None:
        self._paint = Paint(style.colour)
        self._race = RaceText(style)

    def __call__(self, number: int, sighting: Sighting, told: Plain) -> str:
        title, body = self._race(sighting)
        head = self._paint(f"{number}. {title}", "bold")
        return "\n".join([head, body, "", *self._facts(told)]) + "\n\n"

    def _facts(self, told: Plain) -> Iterator[str]:
        for label, lines in (
            ("variable", facts.variable(told)),
            ("cause", facts.cause(told)),
            ("evidence", facts.evidence(told)),
            ("remedy", facts.remedy(told)),
            ("version", facts.version(told)),
            ("dependency", facts.module(told)),
            ("fixed by", facts.fixed(told)),
            ("introduced", facts.introduced(told)),
            ("similar fix", facts.similar(told)),
            ("claims", facts.checked(told)),
            ("stale", facts.stale(told)),
            ("reproduce", facts.command_told(told)),
            ("owners", facts.owners(told)),
            ("related", told["related"]),
            ("missing", facts.unknown(told)),
        ):
            for at, line in enumerate(lines):
                name = self._paint(f"{label:11}", "cyan") if not at else " " * 11
                yield f"   {name} {plain(line.replace(_TICK, ''))}"
