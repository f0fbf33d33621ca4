"""Classifies commit messages by what they say about races, without git or source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum


def _any_phrase(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


_DATA_RACE = r"\bdata[ _-]?rac(?:e|es|y|ing)\b"  # "DATA RACE", "datarace", "KCSAN: data-race in"
_RACE_CONDITION = r"\brac(?:e|es|y|ing)[ -]conditions?\b"

_RACE_PHRASE = _any_phrase(_DATA_RACE, r"\brac(?:e|es|y|ing)\b")
# clearly a data race or race condition
_CLEAR_RACE_PHRASE = _any_phrase(_DATA_RACE, _RACE_CONDITION, r"\bfix(?:es|ed|ing)?\b[^.\n]{0,30}\brac(?:e|es)\b")

# the race detector, and tests that are run with it
_DETECTOR_NOUN = (
    r"(?:detect(?:or|ion)|tests?|testing|builds?|mode|check(?:s|er|ing)?|flags?|enabled|tags?|ci"
    r"|runs?|skips?|jobs?|instrumentation|workflows?|shards?|version)"
)
_DETECTOR_PHRASE = _any_phrase(
    r"(?<!\S)-race\b",
    r"\bno-?race\b",
    r"(?<!pass )(?<!pass `)\bmake race\b",  # "pass make race" indicates a fix
    r"\brace(?: is| was)? (?:en|dis)abled?\b",
    rf"(?<!data )(?<!data-)\brac(?:e|ing)[ -]{_DETECTOR_NOUN}\b",  # "speed up race test"
    r"\b(?:enabl|disabl|skip|check|support|activat|turn|us)\w{0,4}(?: \w{1,12}){0,3} rac(?:e|es)\b"
    r"(?![ -]conditions?)(?! between)",  # "enable race for more package"
    r"\b(?:under|for|in|with|without) (?:-)?race(?= *(?:$|[(.,;:]|\n|builds?|mode))",
)

# unsafe concurrent use
_UNSAFE_USE_PHRASE = _any_phrase(
    r"\bconcurrent map (?:read|writ|iter|access|error|panic|bug|issue|us)\w{0,8}\b",
    r"\bconcurrent[ -](?:access|us(?:e|ing|age)|modif|read(?!er)|writ(?!er)|mutat|updat)\w{0,8}\b",
    r"\bconcurrently (?:access|us|modif|read|writ|mutat|updat|chang|insert|append|add|delet|initiali"
    r"|call|clos|set)\w{0,8}\b",  # "avoid concurrently using the session"
    r"\b(?:read|writ|access|us|modif|reading/writ)\w{0,5}\b[^.\n]{0,60}\bconcurrently\b",
    r"\bconcurren(?:t|cy) (?:bug|issue|problem|error|panic|execution)s?\b",
    r"\bunsafe(?:ly)? (?:concurren|access|shar)\w{0,8}",
    r"\b(?:un|not )synchroni[sz]ed\b",
    r"\bwithout (?:any |holding |a |the |taking |acquiring ){0,3}(?:\w{1,20} )?"
    r"(?:lock|mutex|synchroni[sz]ation)\b",
    r"\bmemory (?:ordering|barrier)\b",
    r"\btorn (?:read|write)s?\b",
)
# "make snapshot thread safe", "concurrent safe api for using rule bundles cache"
_THREAD_SAFE_PHRASE = _any_phrase(r"\b(?:thread|goroutine|concurren\w{1,4}|routine|race)[ -]?(?:un)?safe(?:ty|ly)?\b")

_USE_VERB = (
    r"\b(?:add|adds|added|adding|use|uses|used|using|take|takes|taking|hold|holds|holding|protect"
    r"|protects|guard|guards|acquire|acquires|need|needs|miss|missing|missed|with|lack|lacks)\b"
)
# "lock" as the last noun: not "add lock time to the log"
_LOCK_NOUN = (
    r"(?:rw)?(?:lock|locks|locking)(?= *(?:$|[,.;:(]|(?:for|to|in|at|around|when|before|while|on|of"
    r"|and|into|from|during|by|protect\w{0,4})\b))"
)
_PRIMITIVE = r"(?:mutex|mutexes|rwmutex|atomics?|waitgroup|wait group|sync\.\w{1,12}|synchroni[sz]ation)"
# a remedy against races
_REMEDY_PHRASE = _any_phrase(
    # "add a mutex in TxnState.initStmtBuf", "use atomic values for"
    rf"{_USE_VERB}(?: (?!for\b|to\b)[\w.`*-]{{1,30}}){{0,3}}? (?:{_LOCK_NOUN}|{_PRIMITIVE}\b)",
    # "split region in same lock"
    r"\b(?:in|under|within|inside|by) (?:the |a |an |one |same |its |single ){0,2}"
    r"(?:rw)?(?:lock|mutex)\b",
    # "make sure hashjoin's goroutine exit before Close"
    r"\bgoroutines?\b[^.\n]{0,40}\b(?:exit|finish|end|quit|return)\w{0,3}\b",
    # "bindinfo: lock before reading"
    r"(?:^|: *)(?:rw)?lock (?:the |\S{1,40} )?"
    r"(?:before|when|while|during|in|and|call|access|read|writ)\w{0,5}\b",
    r"\bmake\b[^.\n]{0,60}\batomic\b",
    r"\b(?:protect|guard)(?:s|ed|ing)?\b[^.\n]{0,60}\b(?:lock|mutex)\b",
)

# intermittent failures
_FLAKY_WORDS = (r"\bunstable\b", r"\bflak(?:y|iness|e)\b", r"\bstab(?:ili[sz]e|le)\b", r"\bpanic\w{0,5}\b")
_FLAKY_PHRASE = _any_phrase(*_FLAKY_WORDS)
# possible symptoms of a race
_SYMPTOM_PHRASE = _any_phrase(
    *_FLAKY_WORDS, r"\b(?:goroutines?|concurren\w{1,6}|parallel\w{0,3}|nil pointer|threads?|intermittent\w{0,2})\b"
)

# refactoring, performance, or other defects of locks
_REFACTORING_PHRASE = _any_phrase(
    r"\b(?:replac\w{1,4}|instead of|performance|speed|faster|redundant|unnecessary|inversions?|contention|grained)\b",
    r"\b(?:migrat|reduce (?:the )?(?:memory|alloc|lock|contention)|optimi[sz]|deadlock|lock-?(?:free|less)\b)",
)
# "*: upgrade gomod to fix data race"
_UPGRADE_PHRASE = _any_phrase(r"\b(?:updat|upgrad|bump)\w{1,3}\b")
_FIX_PHRASE = _any_phrase(
    r"\b(?:fix|avoid|prevent|resolv|solv|remov|eliminat|address|correct|handl|guard|protect|mak|ensur"
    r"|repair|reduc|stop|stabili[sz]|disabl|mend)(?:e|es|ed|ing|s)?\b",
    r"\b(?:don't|do not|never|bugs?|workaround|work around)\b",
)
# a new feature: a race in its message was introduced by the same change
_FEATURE_SUBJECT = _any_phrase(
    r"(?:^|[:\]] *)(?:\*+ *)?(?:add|adds|support|supports|introduc\w{1,3}|implement\w{0,3}|enable"
    r"|allow|refactor|refine|improve|optimi[sz]e|speed up|upgrade|bump|migrate|move|rename|docs?"
    r"|document|replace|benchmark|merge|extract|split|test)\b"
)

# "* fix data race", in the list of squashed commits
_BULLET_LINE = re.compile(r" {0,4}[*-] ")
# 'Revert "executor: fix data race (#1)"', "hub: revert the fix of a race"
_REVERT_SUBJECT = _any_phrase(r"^(?:[\w/*, .-]{0,60}: *)?\"?(?:revert|reapply)\b")
# "This reverts commit 6c0fcea070a….", as git writes it
_REVERTED_COMMIT = re.compile(r"\bThis reverts commit ([0-9a-f]{7,64})")
_REVERTED_PULL = _any_phrase(r"^[^\n]{0,500}?\brevert\b[^\n]{0,500}?\(#(\d{1,9})\)")
# "close #31965", "fix pingcap/tidb#31965", "Fixes: https://github.com/…/issues/31965"
_CLOSED_ISSUE = _any_phrase(r"\b(?:close|fix|resolve)(?:[sd]|es)?:? {1,4}\S{0,80}?(?:#|issues/)(\d{1,9})\b")
# "executor: fix data race (#30701)", "Merge pull request #777 from pingcap/coocood/tear-down"
_PULL_NUMBER = re.compile(r"\(#(\d{1,9})\)\s*$|^Merge pull request #(\d{1,9}) ")
# "Merge branch 'master' into fix-race": updates a branch
_BRANCH_MERGE_SUBJECT = _any_phrase(r"^Merge (?:remote-tracking )?(?:branch|commit|tag|remote)\b")

# longer messages are cut off
MAX_MESSAGE_LENGTH = 1 << 18
_MAX_SUBJECT_LENGTH, _MAX_LINE_LENGTH, _MAX_ISSUES = 2_000, 400, 20


class MessageWeight(IntEnum):
    """How strongly a message indicates a race fix."""

    NOTHING = 0
    SYMPTOM = 1  # a possible symptom of a race
    HINT = 2  # the body mentions racing or concurrent use
    REMEDY = 3  # a remedy against races
    UNSAFE = 4  # unsafe concurrent use
    RACE_IN_BODY = 5  # the body mentions a data race or a race condition
    RACE_IN_SUBJECT = 6  # the subject mentions a race


@dataclass(frozen=True, slots=True)
class MessageFacts:
    weight: MessageWeight
    why: str
    is_fix: bool = False
    is_feature: bool = False
    is_refactoring: bool = False
    is_flaky: bool = False
    is_upgrade: bool = False
    issues: tuple[str, ...] = ()  # closed by the commit
    pull: str | None = None
    is_revert: bool = False
    reverted_commits: tuple[str, ...] = ()  # commit ids or prefixes
    reverted_pulls: tuple[str, ...] = ()
    is_branch_merge: bool = False


def classify_message(subject: str, text: str) -> MessageFacts:
    subject, text = subject[:_MAX_SUBJECT_LENGTH], text[:MAX_MESSAGE_LENGTH]
    weight, why = _weigh_message(subject, text)
    pull = _PULL_NUMBER.search(subject)
    is_revert = _REVERT_SUBJECT.match(subject) is not None
    return MessageFacts(
        weight,
        why,
        is_fix=_contains_phrase(_FIX_PHRASE, subject),
        is_feature=_contains_phrase(_FEATURE_SUBJECT, subject),
        is_refactoring=_contains_phrase(_REFACTORING_PHRASE, subject),
        is_flaky=_contains_phrase(_FLAKY_PHRASE, subject),
        is_upgrade=_contains_phrase(_UPGRADE_PHRASE, subject),
        issues=tuple(dict.fromkeys(_CLOSED_ISSUE.findall(text)))[:_MAX_ISSUES],
        pull=(pull[1] or pull[2]) if pull else None,
        is_revert=is_revert,
        reverted_commits=tuple(_REVERTED_COMMIT.findall(text)),
        reverted_pulls=tuple(_REVERTED_PULL.findall(subject)) if is_revert else (),
        is_branch_merge=_contains_phrase(_BRANCH_MERGE_SUBJECT, subject) and "pull request" not in subject,
    )


def _contains_phrase(phrase: re.Pattern[str], subject: str) -> bool:
    return phrase.search(subject) is not None


def _weigh_message(subject: str, text: str) -> tuple[MessageWeight, str]:
    """The highest weight, and the phrase that gives it."""
    body = text.partition("\n")[2]
    safe = MessageWeight.UNSAFE if _contains_phrase(_FIX_PHRASE, subject) else MessageWeight.REMEDY
    for weight, quote in (
        (MessageWeight.RACE_IN_SUBJECT, _quote_from_subject(_RACE_PHRASE, _DETECTOR_PHRASE.sub(" ", subject))),
        (MessageWeight.RACE_IN_BODY, _quote_from_body(_CLEAR_RACE_PHRASE, body)),
        (safe, _quote_from_subject(_THREAD_SAFE_PHRASE, subject)),
        (MessageWeight.UNSAFE, _quote_from_subject(_UNSAFE_USE_PHRASE, subject)),
        (MessageWeight.REMEDY, _quote_from_subject(_REMEDY_PHRASE, subject)),
        (MessageWeight.HINT, _quote_from_body(_RACE_PHRASE, body)),
        (MessageWeight.HINT, _quote_from_body(_UNSAFE_USE_PHRASE, body[:_MAX_SUBJECT_LENGTH])),
        (MessageWeight.SYMPTOM, _quote_from_subject(_SYMPTOM_PHRASE, subject)),
    ):
        if quote:
            return weight, quote
    return MessageWeight.NOTHING, ""


def _quote_from_subject(phrase: re.Pattern[str], subject: str) -> str:
    found = phrase.search(subject)
    return f"its subject says “{found[0]}”" if found else ""


def _quote_from_body(phrase: re.Pattern[str], body: str) -> str:
    """A phrase in the body; list items are skipped: they describe commits of the same branch."""
    if not phrase.search(body):
        return ""
    for line in body.split("\n"):
        text_line = _DETECTOR_PHRASE.sub(" ", line[:_MAX_LINE_LENGTH])
        if not _BULLET_LINE.match(line) and (found := phrase.search(text_line)):
            return f"its message says “{found[0]}”"
    return ""
