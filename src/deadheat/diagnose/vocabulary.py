"""What the names of functions tell, from the list beside this module; knows no report."""

from __future__ import annotations

from deadheat.symbols import frame_lists

_GROUPS = {
    group: frozenset(word for line in lines for word in line.split())
    for group, lines in frame_lists.read("words.txt", "deadheat.diagnose").items()
}
ENDING = _GROUPS["ending"]
RENEWING = _GROUPS["renewing"]
LAZY = _GROUPS["lazy"]
CHANGING = _GROUPS["changing"]
ACTING = _GROUPS["acting"]
POOLING = _GROUPS["pooling"]
GROWING = _GROUPS["growing"]
KEYED = _GROUPS["keyed"]
STARTING = _GROUPS["starting"]
EITHER = _GROUPS["either"]
WAITING = _GROUPS["waiting"]
RESULTS = _GROUPS["results"]
TIMING = _GROUPS["timing"]


def grows(told: tuple[str, ...]) -> bool:
    """Does a function, by its words, put something into a row of things?

    `add` alone says nothing: numbers are added up. `addHit` adds one of them.
    """
    if not told:
        return False
    return told[0] in GROWING or (told[0] == "add" and len(told) == 2 and told[1][-1:] != "s")
