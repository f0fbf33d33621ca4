"""One race as data for the pages: its accesses in the order of the title, its answer, and links to its code."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from deadheat import plugins
from deadheat.diagnosis import diagnose
from deadheat.diagnosis.context import RACE_KINDS
from deadheat.diagnosis.finding import UNKNOWN, finding_to_json
from deadheat.grouping.fingerprint import accesses_in_title_order
from deadheat.model import Origin
from deadheat.output.findings import file_from_root, frame_location
from deadheat.output.html.markup import EMPTY, Html, code, element, join, link, shorten, text
from deadheat.printable import split_code
from deadheat.symbols.display import display_function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deadheat.model import Access, Actor, Frame, Sighting
    from deadheat.output import OutputStyle
    from deadheat.output.dossier_sentences import JsonDict

# "#123", "!45": pull requests in the subject of a commit
_REFERENCE = re.compile(r"(?<![\w&/#!])([#!])([0-9]{1,9})(?!\w)")
# "cart/cart.go:31"
_PLACE = re.compile(r"(?<![\w@+./-])([\w@+./-]{1,300}):([0-9]{1,7})(?![\w:])")
# "8721351dcf0"
_SHORT_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_LINKED = re.compile(f"{_REFERENCE.pattern}|{_PLACE.pattern}")
# the least probability that a phrase is said for
_PROBABILITY_WORDS = ((0.9, "very likely"), (0.7, "likely"), (0.5, "probable"), (0.3, "possible"), (0.0, "uncertain"))


def describe_probability(probability: float) -> str:
    """`likely, 79%`."""
    words = next(words for least, words in _PROBABILITY_WORDS if probability >= least)
    return f"{words}, {probability:.0%}"


class RaceView:
    """A sighting of a race, with its dossier if there is one."""

    def __init__(
        self,
        sighting: Sighting,
        dossier: JsonDict | None,
        style: OutputStyle,
        level: int = 2,
        race_url: Callable[[str], str] = "#{}".format,
    ) -> None:
        self.sighting, self.report, self.dossier = sighting, sighting.report, dossier
        self.race_url = race_url  # the address of another race
        self.root, self.level = style.root, level  # of the heading with the title
        self.links = style.links_for_clone(dossier["repo"] if dossier else None)
        self.race, self.title = sighting.verdict.race, sighting.verdict.title
        self._actors = {actor.id: actor for actor in self.report.actors}

    @cached_property
    def accesses(self) -> list[Access]:
        """The accesses in the order in which the title names their functions."""
        return accesses_in_title_order(self.report)

    def actor_of(self, access: Access) -> Actor | None:
        return self._actors.get(access.actor)

    @cached_property
    def causes(self) -> list[JsonDict]:
        """The possible causes, most probable first: of the dossier, or of the report alone."""
        if self.dossier is not None:
            return list(self.dossier.get("causes") or [self.dossier["cause"]] if self.dossier["cause"] else [])
        return [finding_to_json(finding) for finding in diagnose(self.report)]

    @property
    def cause_title(self) -> str:
        """The most probable cause for people; empty if no cause is probable."""
        cause = self.causes[0] if self.causes else None
        return "" if cause is None or cause["cause"] == UNKNOWN else plugins.cause_title(cause["cause"])

    @property
    def is_race(self) -> bool:
        """Whether two accesses race; a lock order inversion, for example, is another defect."""
        return self.report.kind in RACE_KINDS

    @property
    def answer_title(self) -> str:
        """The cause; the kind of the report if that says what is wrong, or that no cause is certain."""
        return self.cause_title or (
            "No cause is certain" if self.is_race else self.report.kind.replace("-", " ").capitalize()
        )

    @property
    def confidence(self) -> float:
        return float(self.causes[0]["confidence"]) if self.causes else 0.0

    # -- links ------------------------------------------------------------------------------------------

    @cached_property
    def _commit(self) -> str:
        """The version that the frames are of; empty if it is not known."""
        pin = self.dossier["pin"] if self.dossier else None
        return str(pin["surest"]["last"]) if pin else ""

    @cached_property
    def _paths(self) -> dict[str, str]:
        """The path in the clone of each file of a frame."""
        snippets = self.dossier["snippets"] if self.dossier else []
        paths = {snippet["path"]: snippet["path"] for snippet in snippets}
        return paths | {snippet["site"]["file"]: snippet["path"] for snippet in snippets}

    def file_url(self, file: str, line: int | None = None) -> str:
        """The address of a file in the version of the race; empty if the file is not known to be in the repository."""
        if self.links is None:
            return ""
        if self._commit:
            path = self._paths.get(file, "")
            return self.links.file_url(path, line, self._commit) if path else ""
        return self.links.file_url(file, line) if self.links.has_file else ""

    def function_html(self, function: str) -> Html:
        """The name of a function as it is shown; the complete symbol appears under the pointer."""
        shown = display_function(function)
        full = "" if shown == function else shorten(function)
        return element("code", text(shown), title=full)

    def frame_link(self, frame: Frame, class_: str = "place") -> Html:
        """`cart/cart.go:31`, as a link if the file is known."""
        location = frame_location(frame, self.root)
        if not location:
            return EMPTY
        url = self.file_url(frame.file if self._commit else file_from_root(frame, self.root), frame.line)
        if not url and self.links is not None and self.links.has_file is None and not self._commit:
            # the job or the user says which repository it is, and there is no checkout to look into
            url = self.links.file_url(frame.file, frame.line) if frame.origin is Origin.USER else ""
        return link(url, text(location), class_=class_) if url else element("span", text(location), class_=class_)

    def commit_link(self, commit: str, length: int = 11) -> Html:
        return link(self.links.commit_url(commit) if self.links else "", code(commit[:length]))

    def sentence(self, value: str) -> Html:
        """A sentence with code between backticks; commits, places and pull requests are links if they are known."""
        return join(self._code_html(part) if is_code else self._prose_html(part) for part, is_code in split_code(value))

    def _code_html(self, part: str) -> Html:
        if self.links is not None:
            if _SHORT_COMMIT.fullmatch(part):
                return link(self.links.commit_url(part), code(part))
            if place := _PLACE.fullmatch(part):
                return link(self.file_url(place[1], int(place[2])), code(part))
        return code(part)

    def _prose_html(self, part: str) -> Html:
        return text(part) if self.links is None else join(self._linked_parts(part))

    def _linked_parts(self, part: str) -> Iterator[Html]:
        end = 0
        for match in _LINKED.finditer(part):
            mark, number, file, line = match.groups()
            assert self.links is not None
            url = self.links.reference_url(mark, number) if mark else self.file_url(file, int(line))
            if url:
                yield text(part[end : match.start()])
                yield link(url, text(match[0]))
                end = match.end()
        yield text(part[end:])
