"""The rules of a SARIF file: one per cause, and one per kind of report whose cause is not known well."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deadheat import plugins
from deadheat.diagnosis.context import RACE_KINDS
from deadheat.output import escape_markdown
from deadheat.output.likely_causes import likely_cause, without_marks
from deadheat.output.project_pages import cause_page, detectors_page
from deadheat.output.sarif_limits import MAX_DESCRIPTION, MAX_KINDS, MAX_RULE_NAME, MAX_TAGS
from deadheat.printable import quote_code, shorten, split_code, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.diagnosis.cause import CauseDefinition
    from deadheat.output.findings import RaceFinding

JsonDict = dict[str, Any]
# what a rule says instead of the names of the code and of the means of a language
_GENERAL_WORDS = {
    "variable": "the variable", "writer": "the writing side", "other": "the other side", "holder": "one side",
    "lacking": "the other side", "worker": "the worker", "starter": "its starter", "lock": "the lock",
    "call": "the call that ends it", "type": "library type",
    "mutex": "a lock", "rwmutex": "a reader-writer lock", "atomic": "atomic operations",
    "once": "the initialise-once primitive of the language", "join": "a wait for the end of the thread",
    "thread": "thread", "stop": "a stop signal",
}  # fmt: skip
_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")
_WORD = re.compile(r"[A-Za-z0-9]+")
_OTHER_KIND = "other-report"


class RuleTable:
    """The rules of a run. All causes come first, so that the index of a cause does not depend on the races."""

    def __init__(self) -> None:
        self._causes = plugins.causes_by_name()
        self._indexes = {name: index for index, name in enumerate(self._causes)}

    def reference(self, finding: RaceFinding) -> JsonDict:
        """The fields of a result that name its rule."""
        rule = likely_cause(finding) or finding.sighting.report.kind or _OTHER_KIND
        if rule not in self._indexes and len(self._indexes) >= len(self._causes) + MAX_KINDS:
            rule = _OTHER_KIND
        return {"ruleId": rule, "ruleIndex": self._indexes.setdefault(rule, len(self._indexes))}

    def to_json(self) -> list[JsonDict]:
        return [_cause_rule(self._causes[rule]) if rule in self._causes else _kind_rule(rule) for rule in self._indexes]


def _cause_rule(cause: CauseDefinition) -> JsonDict:
    description = f"{general_text(cause.sentence)}."
    remedies = list(dict.fromkeys(general_text(remedy.change) for remedy in cause.remedies))
    page = cause_page(cause.name)
    tags = ["concurrency", "data-race", *(["test-code"] if cause.test_only else []), _tag(cause.family)]
    where = "The defect is in the test, not in the product code. " if cause.test_only else ""
    text = f"{description} {where}What to change, depending on the code:\n\n"
    return _rule(cause.name, cause.title, description, page, tags) | {
        "help": {
            "text": without_marks(f"{text}{_bullets(remedies)}\n\nMore: {page}"),
            "markdown": f"{_markdown(description)} {where}\n\n**What to change**, depending on the code:\n\n"
            f"{_bullets(map(_markdown, remedies))}\n\n[How it is recognised, and when it is wrong]({page})",
        }
    }


def _kind_rule(kind: str) -> JsonDict:
    name = visible_text(kind.replace("-", " "))
    title = f"{name[:1].upper()}{name[1:]}"
    description = f"A detector reported this: {name}."
    tags = ["concurrency", "correctness"]
    if kind in RACE_KINDS:
        description = f"A detector reported a {name}, and no cause is likely enough to be named."
        tags = ["concurrency", "data-race"]
    page = detectors_page()
    how = "deadheat explain --repo DIR reads the code as well, and says more."
    return _rule(kind, title, description, page, tags) | {
        "help": {
            "text": f"{description} {how}\n\nMore: {page}",
            "markdown": f"{escape_markdown(description)} `deadheat explain --repo DIR` reads the code as well, and says"
            f" more.\n\n[What detectors report]({page})",
        }
    }


def _rule(rule: str, title: str, description: str, page: str, tags: list[str]) -> JsonDict:
    return {
        "id": rule,
        "name": shorten("".join(word.capitalize() for word in _WORD.findall(rule)) or "Report", MAX_RULE_NAME),
        "shortDescription": {"text": shorten(without_marks(title), MAX_DESCRIPTION)},
        "fullDescription": {"text": shorten(without_marks(description), MAX_DESCRIPTION)},
        "helpUri": page,
        "defaultConfiguration": {"level": "error"},
        # without "security-severity": GitHub would treat every race as a vulnerability
        "properties": {"tags": tags[:MAX_TAGS], "precision": "high", "problem.severity": "error"},
    }


def general_text(text: str) -> str:
    """A text of a cause without the names of a certain race."""
    filled = _PLACEHOLDER.sub(lambda match: _GENERAL_WORDS[match[1]], text)
    return filled[:1].upper() + filled[1:]


def _bullets(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in texts)


def _markdown(text: str) -> str:
    return "".join(quote_code(part) if is_code else escape_markdown(part) for part, is_code in split_code(text))


def _tag(name: str) -> str:
    return name.replace(" ", "-")
