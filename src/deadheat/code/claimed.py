"""Checks the claims of a document against a clone: true, false or unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from deadheat.code import hints
from deadheat.code.pin import fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.code.candidates import Candidate
    from deadheat.code.clone import Clone
    from deadheat.code.past import Past
    from deadheat.code.window import Pin
    from deadheat.model import Claim, Report


class Answer(NamedTuple):
    """A claim with the result of its check; `holds` is None if unknown."""

    claim: Claim
    holds: bool | None
    why: str
    commit: str | None = None


class Check:
    """Checks the claims of one document about one report."""

    def __init__(self, clone: Clone, pin: Pin, report: Report, past: Past) -> None:
        self._clone, self._pin, self._report, self._past = clone, pin, report, past

    def answers(
        self, claims: Sequence[Claim], fixes: Sequence[Candidate], released: Sequence[str]
    ) -> list[Answer]:
        """Check each distinct claim once."""
        once = {(c.kind, c.value) if c.kind != "version" else (c.role, c.value): c for c in claims}
        return [self._answer(claim, fixes, released) for claim in once.values()]

    def _answer(self, claim: Claim, fixes: Sequence[Candidate], released: Sequence[str]) -> Answer:
        if claim.kind == "suspect":
            return self._suspect(claim)
        if claim.kind == "reference":
            return self._fix(claim, fixes)
        if claim.role == "fixed-in":
            return self._released(claim, fixes, released)
        return self._version(claim)

    def _version(self, claim: Claim) -> Answer:
        commit = self._clone.resolve(claim.value)
        if commit is None:
            return Answer(claim, None, "the clone has no such tag, branch or commit")
        fits, frames = fit(self._clone, self._report, commit)
        told = f"{fits} of {frames} frames fit there"
        if fits == self._pin.fitting:
            return Answer(claim, True, told, commit)
        return Answer(claim, False, f"{told}, {self._pin.fitting} in the window", commit)

    def _released(
        self, claim: Claim, fixes: Sequence[Candidate], released: Sequence[str]
    ) -> Answer:
        if not fixes or not fixes[0].is_convincing:
            return Answer(claim, None, "no fix was found to check it against")
        fix = fixes[0].commit
        if {claim.value, f"v{claim.value}"} & set(released):
            return Answer(claim, True, f"it contains {fix[:11]}", fix)
        if self._clone.resolve(claim.value) is None:
            return Answer(claim, None, "the clone has no such tag")
        return Answer(claim, False, f"it does not contain the code of {fix[:11]}", fix)

    def _suspect(self, claim: Claim) -> Answer:
        place = self._place(claim)
        if place is None:
            return Answer(claim, None, "no commit on the main line names this change")
        commit = self._clone.main.commits[place]
        if place > self._past.at:
            return Answer(claim, False, f"{commit[:11]} came after the window", commit)
        functions, files = self._past.changed(place)
        if functions:
            told = f"{commit[:11]} came before and changes {', '.join(functions[:4])}"
            return Answer(claim, True, told, commit)
        told = f"changes {', '.join(files[:3])}" if files else "changes no file of the report"
        return Answer(claim, None, f"{commit[:11]} came before and {told}", commit)

    def _fix(self, claim: Claim, fixes: Sequence[Candidate]) -> Answer:
        place = self._place(claim)
        if place is None:
            return Answer(claim, None, "no commit on the main line names this change")
        commit = self._clone.main.commits[place]
        if place <= self._past.at:
            return Answer(claim, False, f"{commit[:11]} is in the window or before it", commit)
        if fixes and fixes[0].commit == commit:
            return Answer(claim, True, f"{commit[:11]} is the most likely fix", commit)
        changed, _ = self._past.changed(place)
        what = f"changes {', '.join(changed[:4])}" if changed else "changes no function of the report"
        return Answer(claim, bool(changed) or None, f"{commit[:11]} {what}", commit)

    def _place(self, claim: Claim) -> int | None:
        """The main line position of the change or commit that a claim names."""
        main = self._clone.main
        if told := hints.number(claim.value):
            return self._clone.messages.change(told)
        told = hints.commit(claim.value)
        commit = self._clone.resolve(told) if told else None
        return main.position(commit) if commit else None
