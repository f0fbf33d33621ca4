"""Classifies commit messages by what they say about races, without git or source."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from deadheat.code.mining import phrases

if TYPE_CHECKING:
    import re

# longer messages are cut off
LONGEST = 1 << 18
_SUBJECT, _SENTENCE, _MOST = 2_000, 400, 20


class Weight(IntEnum):
    """How strongly a message indicates a race fix."""

    NOTHING = 0
    SYMPTOM = 1  # a possible symptom of a race
    HINT = 2  # the body mentions racing or concurrent use
    REMEDY = 3  # a remedy against races
    UNSAFE = 4  # unsafe concurrent use
    MENTION = 5  # the body mentions a data race or a race condition
    SAYS = 6  # the subject mentions a race


@dataclass(frozen=True, slots=True)
class Speech:
    """Facts from a commit message."""

    weight: Weight
    why: str
    mends: bool = False
    makes: bool = False
    swaps: bool = False
    shakes: bool = False
    updates: bool = False
    issues: tuple[str, ...] = ()  # closed by the commit
    pull: str | None = None
    is_revert: bool = False
    reverts: tuple[str, ...] = ()  # commit ids or prefixes
    reverts_pulls: tuple[str, ...] = ()
    catches_up: bool = False


def heard(subject: str, text: str) -> Speech:
    subject, text = subject[:_SUBJECT], text[:LONGEST]
    weight, why = _weighed(subject, text)
    pull = phrases.PULL.search(subject)
    is_revert = phrases.REVERT.match(subject) is not None
    return Speech(
        weight,
        why,
        mends=_says(phrases.MENDS, subject),
        makes=_says(phrases.MAKES, subject),
        swaps=_says(phrases.SWAPS, subject),
        shakes=_says(phrases.SHAKES, subject),
        updates=_says(phrases.UPDATES, subject),
        issues=tuple(dict.fromkeys(phrases.CLOSES.findall(text)))[:_MOST],
        pull=(pull[1] or pull[2]) if pull else None,
        is_revert=is_revert,
        reverts=tuple(phrases.REVERTS.findall(text)),
        reverts_pulls=tuple(phrases.REVERTED_PULL.findall(subject)) if is_revert else (),
        catches_up=_says(phrases.CATCHES_UP, subject) and "pull request" not in subject,
    )


def _says(phrase: re.Pattern[str], subject: str) -> bool:
    return phrase.search(subject) is not None


def _weighed(subject: str, text: str) -> tuple[Weight, str]:
    """The highest weight, and the phrase that gives it."""
    body = text.partition("\n")[2]
    safe = Weight.UNSAFE if _says(phrases.MENDS, subject) else Weight.REMEDY
    for weight, said in (
        (Weight.SAYS, _in_subject(phrases.RACE, phrases.TOOL.sub(" ", subject))),
        (Weight.MENTION, _in_prose(phrases.PLAIN_RACE, body)),
        (safe, _in_subject(phrases.SAFE, subject)),
        (Weight.UNSAFE, _in_subject(phrases.UNSAFE, subject)),
        (Weight.REMEDY, _in_subject(phrases.REMEDY, subject)),
        (Weight.HINT, _in_prose(phrases.RACE, body)),
        (Weight.HINT, _in_prose(phrases.UNSAFE, body[:_SUBJECT])),
        (Weight.SYMPTOM, _in_subject(phrases.SYMPTOM, subject)),
    ):
        if said:
            return weight, said
    return Weight.NOTHING, ""


def _in_subject(phrase: re.Pattern[str], subject: str) -> str:
    found = phrase.search(subject)
    return f"its subject says “{found[0]}”" if found else ""


def _in_prose(phrase: re.Pattern[str], body: str) -> str:
    """A phrase in the body; list items are skipped: they describe commits of the same branch."""
    if not phrase.search(body):
        return ""
    for line in body.split("\n"):
        plain = phrases.TOOL.sub(" ", line[:_SENTENCE])
        if not phrases.BULLET.match(line) and (found := phrase.search(plain)):
            return f"its message says “{found[0]}”"
    return ""
