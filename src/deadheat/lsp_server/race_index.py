"""The races of the open files: where their lines are in the text of the editor."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from deadheat.lsp_server.line_map import LineMap, comparable_lines, comparable_source, split_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deadheat.lsp_server.code_places import CodePlace, PlacedRaces, RacePlaces
    from deadheat.lsp_server.race_entries import RaceEntry

_MAX_CACHED_FILES = 200
_MAX_FILE_BYTES = 1 << 23


class RacingSite(NamedTuple):
    """A racing line in the present text of a file."""

    entry: RaceEntry
    access: int
    line: int  # counted from 1
    function_line: int  # where its function begins, or the racing line


class PresentPlace(NamedTuple):
    """A line in the present text of a file, for a link to it."""

    path: str
    line: int
    text: str


class _PresentText(NamedTuple):
    key: object  # changes with the text
    lines: list[str]
    comparable: list[str]


class RaceIndex:
    """Races by file. The lines of a file are compared again only after an edit of this file."""

    def __init__(self, open_text: Callable[[str], tuple[object, str] | None]) -> None:
        self._open_text = open_text  # the version and the text of an open file, by its real path
        self.entries: dict[str, RaceEntry] = {}
        self._places: dict[str, RacePlaces] = {}
        self._by_path: dict[str, list[tuple[str, int]]] = {}
        self._versions: dict[str, list[str]] = {}
        self._texts: dict[str, _PresentText] = {}
        self._maps: dict[tuple[str, str], tuple[object, LineMap]] = {}
        self.map_count = 0  # how often lines were compared

    def replace_entries(self, entries: Sequence[RaceEntry]) -> None:
        """Takes over new races. The places of races whose report is the same are kept."""
        known, places = self.entries, self._places
        self.entries = {entry.race: entry for entry in entries}
        kept = {
            race: places[race]
            for race, entry in self.entries.items()
            if race in places and known[race].report == entry.report
        }
        self._places, self._by_path = {}, {}
        for race, found in kept.items():
            self._add_places(race, found)

    def unplaced(self, file_names: set[str]) -> list[RaceEntry]:
        """The races that are not looked up yet, first those with a racing line in a file with one of these names."""
        missing = [entry for race, entry in self.entries.items() if race not in self._places]
        return sorted(missing, key=lambda entry: file_names.isdisjoint(racing_file_names(entry)))

    def add_places(self, entries: Sequence[RaceEntry], placed: PlacedRaces) -> None:
        for key, source in placed.versions.items():
            # of a file on disk, the first version counts: later ones are edits since then
            self._versions.setdefault(key, comparable_source(source))
        for entry, places in zip(entries, placed.places, strict=True):
            if self.entries.get(entry.race) is entry:
                self._add_places(entry.race, places)

    def _add_places(self, race: str, places: RacePlaces) -> None:
        self._places[race] = places
        for index, place in enumerate(places.accesses):
            if place is not None:
                self._by_path.setdefault(place.path, []).append((race, index))

    def sites_in(self, path: str) -> list[RacingSite]:
        """The racing lines of a file in its present text; a line that is gone is left out."""
        sites = []
        for race, index in self._by_path.get(path, ()):
            place = self._places[race].accesses[index]
            if place is None or (line := self._present_line(place, place.line)) is None:
                continue
            function_line = self._present_line(place, place.function_line) if place.function_line else None
            sites.append(RacingSite(self.entries[race], index, line, function_line or line))
        return sorted(sites, key=lambda site: (site.line, site.entry.race, site.access))

    def other_accesses(self, site: RacingSite) -> Iterator[tuple[int, PresentPlace]]:
        """The index and place of each other access of a race."""
        for index, place in enumerate(self._places[site.entry.race].accesses):
            if index != site.access and (found := self._present_place(place)):
                yield index, found

    def creations(self, site: RacingSite) -> Iterator[tuple[int, PresentPlace]]:
        """The index of each actor with the place where it is created."""
        for index, place in enumerate(self._places[site.entry.race].creations):
            if found := self._present_place(place):
                yield index, found

    def _present_place(self, place: CodePlace | None) -> PresentPlace | None:
        if place is None or (line := self._present_line(place, place.line)) is None:
            return None
        return PresentPlace(place.path, line, self.line_text(place.path, line))

    def line_text(self, path: str, line: int) -> str:
        text = self._present_text(path)
        return text.lines[line - 1] if text is not None and line <= len(text.lines) else ""

    def _present_line(self, place: CodePlace, line: int) -> int | None:
        text = self._present_text(place.path)
        if text is None:
            return None
        known = self._maps.get((place.path, place.version))
        if known is None or known[0] != text.key:
            self.map_count += 1
            known = text.key, LineMap(self._versions[place.version], text.comparable)
            self._maps[place.path, place.version] = known
        return known[1].new_line(line)

    def _present_text(self, path: str) -> _PresentText | None:
        """The text in the editor, else on disk."""
        opened = self._open_text(path)
        if opened is not None:
            key: object = ("open", opened[0])
        else:
            try:
                status = os.stat(path)
            except OSError:
                return None
            key = ("disk", status.st_mtime_ns, status.st_size)
        known = self._texts.get(path)
        if known is not None and known.key == key:
            return known
        text = opened[1] if opened is not None else _read_text(path)
        if text is None:
            return None
        lines = split_lines(text)
        while len(self._texts) >= _MAX_CACHED_FILES:
            del self._texts[next(iter(self._texts))]
        self._texts[path] = known = _PresentText(key, lines, comparable_lines(lines))
        return known


def _read_text(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
    except OSError:
        return None
    return data.decode("utf-8", "replace") if len(data) <= _MAX_FILE_BYTES else None


def racing_file_names(entry: RaceEntry) -> set[str]:
    sites = (access.site for access in entry.report.accesses if access.site)
    return {(site.path or site.file).replace("\\", "/").rpartition("/")[2] for site in sites}
