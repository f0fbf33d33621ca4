"""Which commits introduced a race, and who wrote its lines."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from deadheat.code import follow
from deadheat.code.candidates import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.code.claimed import Answer
    from deadheat.code.past import Past
    from deadheat.code.targets import Target


class Origins:
    """Searches the history before a pin."""

    def __init__(self, past: Past) -> None:
        self._past, self._clone = past, past.clone

    def introduced_by(self, suspects: Iterable[Answer] = ()) -> list[Candidate]:
        """Commits that added the racing lines and the `go` statements, newest first.

        Commits that the document suspects come first, if they change files of the report.
        """
        found: dict[int, Candidate] = {}
        for target, place in self._past.brought.items():
            if place is None:
                continue
            if place not in found:
                commit = self._clone.main.commits[place]
                message = self._clone.messages.said(place)
                found[place] = Candidate(commit, message.subject, message.time)
            what = "a racing line" if target.racing else "the go statement"
            shown = follow.squeezed(target.line).decode("utf-8", "replace")[:80]
            found[place].gain(1.5, f"added {what}: {shown}")
        ranked = [found[place] for place in sorted(found, reverse=True)]
        if ranked:
            ranked[0].gain(1.0, "the last part of the race to be added")
        return self._suspected(suspects, ranked)

    def _suspected(self, suspects: Iterable[Answer], rest: list[Candidate]) -> list[Candidate]:
        """The commits, with those that the document suspects first."""
        known = {c.commit: c for c in rest}
        named: dict[str, Candidate] = {}
        for answer in suspects:
            commit = answer.commit or ""
            place = self._clone.main.position(commit)
            if place is None or place > self._past.at or not self._past.changed(place)[1]:
                continue
            said = self._clone.messages.said(place)
            named[commit] = known.get(commit) or Candidate(commit, said.subject, said.time)
            named[commit].gain(2.5, f"the document says that {answer.claim.value} introduced it")
            named[commit].gain(1.0, answer.why)
        return [*named.values(), *(c for c in rest if c.commit not in named)]

    def authors(self) -> list[tuple[str, str]]:
        """The authors of the racing lines, then the last authors of the racing functions."""
        found: dict[str, str] = {}
        for target in [t for t in self._past.targets if t.racing]:
            place = self._past.brought.get(target)
            if place is not None:
                name = target.function.rpartition(".")[2]
                self._author(found, place, f"wrote the racing line in {name}")
            for recent in self._recent(target):
                self._author(found, recent, f"worked on {target.function.rpartition('.')[2]}")
        return list(found.items())

    def _author(self, found: dict[str, str], place: int, why: str) -> None:
        commit = self._clone.main.commits[place]
        found.setdefault(self._clone.messages.said(place).author, f"{why} ({commit[:11]})")

    def _recent(self, target: Target) -> list[int]:
        """The last positions before the pin at which a function changed."""
        versions = [v for v in self._clone.main.versions(target.path) if v.pos <= self._past.at][
            -40:
        ]
        known = follow.function_texts(
            self._clone, [v.blob for v in versions], target.path, target.function
        )
        texts = [(v.pos, known.get(v.blob)) for v in versions]
        changed = [b[0] for a, b in pairwise(texts) if a[1] != b[1]]
        return changed[::-1][:3]
