"""Verbs in function names, from `words.txt`."""

from __future__ import annotations

from deadheat.symbols import frame_lists

_GROUPS = {
    group: frozenset(word for line in lines for word in line.split())
    for group, lines in frame_lists.read("words.txt", "deadheat.diagnose").items()
}
ENDING = _GROUPS["ending"]
REMOVING = _GROUPS["removing"]
RENEWING = _GROUPS["renewing"]
LAZY = _GROUPS["lazy"]
MAKING = _GROUPS["making"]
CHANGING = _GROUPS["changing"]
TURNING = _GROUPS["turning"]
ACTING = _GROUPS["acting"]
POOLING = _GROUPS["pooling"]
GROWING = _GROUPS["growing"]
KEYED = _GROUPS["keyed"]
INDEXED = _GROUPS["indexed"]
STARTING = _GROUPS["starting"]
EITHER = _GROUPS["either"]
DOING = _GROUPS["doing"]
WAITING = _GROUPS["waiting"]
RESULTS = _GROUPS["results"]
WALKING = _GROUPS["walking"]
JOINING = _GROUPS["joining"]
ANNOUNCING = _GROUPS["announcing"]
TIMING = _GROUPS["timing"]
TAKING = _GROUPS["taking"]
GIVING = _GROUPS["giving"]
STOPPING = _GROUPS["stopping"]
MEMORY = _GROUPS["memory"]
READING = _GROUPS["reading"]
