"""Patterns of phrases about races in commit messages, with examples."""

from __future__ import annotations

import re


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases), re.IGNORECASE)


_DATA_RACE = r"\bdata[ _-]?rac(?:e|es|y|ing)\b"  # "DATA RACE", "datarace", "KCSAN: data-race in"
_CONDITION = r"\brac(?:e|es|y|ing)[ -]conditions?\b"

RACE = _any(_DATA_RACE, r"\brac(?:e|es|y|ing)\b")
# clearly a data race or race condition
PLAIN_RACE = _any(_DATA_RACE, _CONDITION, r"\bfix(?:es|ed|ing)?\b[^.\n]{0,30}\brac(?:e|es)\b")

# the race detector, and tests that are run with it
_OF_THE_DETECTOR = (
    r"(?:detect(?:or|ion)|tests?|testing|builds?|mode|check(?:s|er|ing)?|flags?|enabled|tags?|ci"
    r"|runs?|skips?|jobs?|instrumentation|workflows?|shards?|version)"
)
TOOL = _any(
    r"(?<!\S)-race\b",
    r"\bno-?race\b",
    r"(?<!pass )(?<!pass `)\bmake race\b",  # "pass make race" indicates a fix
    r"\brace(?: is| was)? (?:en|dis)abled?\b",
    rf"(?<!data )(?<!data-)\brac(?:e|ing)[ -]{_OF_THE_DETECTOR}\b",  # "speed up race test"
    r"\b(?:enabl|disabl|skip|check|support|activat|turn|us)\w{0,4}(?: \w{1,12}){0,3} rac(?:e|es)\b"
    r"(?![ -]conditions?)(?! between)",  # "enable race for more package"
    r"\b(?:under|for|in|with|without) (?:-)?race(?= *(?:$|[(.,;:]|\n|builds?|mode))",
)

# unsafe concurrent use
UNSAFE = _any(
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
SAFE = _any(r"\b(?:thread|goroutine|concurren\w{1,4}|routine|race)[ -]?(?:un)?safe(?:ty|ly)?\b")

_USES = (
    r"\b(?:add|adds|added|adding|use|uses|used|using|take|takes|taking|hold|holds|holding|protect"
    r"|protects|guard|guards|acquire|acquires|need|needs|miss|missing|missed|with|lack|lacks)\b"
)
# "lock" as the last noun: not "add lock time to the log"
_A_LOCK = (
    r"(?:rw)?(?:lock|locks|locking)(?= *(?:$|[,.;:(]|(?:for|to|in|at|around|when|before|while|on|of"
    r"|and|into|from|during|by|protect\w{0,4})\b))"
)
_PRIMITIVE = (
    r"(?:mutex|mutexes|rwmutex|atomics?|waitgroup|wait group|sync\.\w{1,12}|synchroni[sz]ation)"
)
# a remedy against races
REMEDY = _any(
    # "add a mutex in TxnState.initStmtBuf", "use atomic values for"
    rf"{_USES}(?: (?!for\b|to\b)[\w.`*-]{{1,30}}){{0,3}}? (?:{_A_LOCK}|{_PRIMITIVE}\b)",
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
_SHAKY = (
    r"\bunstable\b",
    r"\bflak(?:y|iness|e)\b",
    r"\bstab(?:ili[sz]e|le)\b",
    r"\bpanic\w{0,5}\b",
)
SHAKES = _any(*_SHAKY)
# possible symptoms of a race
SYMPTOM = _any(
    *_SHAKY,
    r"\bgoroutines?\b",
    r"\bconcurren\w{1,6}\b",
    r"\bparallel\w{0,3}\b",
    r"\bnil pointer\b",
    r"\bthreads?\b",
    r"\bintermittent\w{0,2}\b",
)

# refactoring, performance, or other defects of locks
SWAPS = _any(
    r"\breplac\w{1,4}\b",
    r"\binstead of\b",  # "use atomic.Pointer instead of atomic.Value"
    r"\bperformance\b",
    r"\bspeed\b",
    r"\bfaster\b",
    r"\bredundant\b",
    r"\bunnecessary\b",
    r"\bmigrat",
    r"\breduce (?:the )?(?:memory|alloc|lock|contention)",
    r"\boptimi[sz]",
    r"\block-?(?:free|less)\b",
    r"\bdeadlock",
    r"\binversions?\b",
    r"\bcontention\b",
    r"\bgrained\b",
)
# "*: upgrade gomod to fix data race"
UPDATES = _any(r"\b(?:updat|upgrad|bump)\w{1,3}\b")
MENDS = _any(
    r"\b(?:fix|avoid|prevent|resolv|solv|remov|eliminat|address|correct|handl|guard|protect|mak|ensur"
    r"|repair|reduc|stop|stabili[sz]|disabl|mend)(?:e|es|ed|ing|s)?\b",
    r"\b(?:don't|do not|never|bugs?|workaround|work around)\b",
)
# a new feature: a race in its message was introduced by the same change
MAKES = _any(
    r"(?:^|[:\]] *)(?:\*+ *)?(?:add|adds|support|supports|introduc\w{1,3}|implement\w{0,3}|enable"
    r"|allow|refactor|refine|improve|optimi[sz]e|speed up|upgrade|bump|migrate|move|rename|docs?"
    r"|document|replace"
    r"|benchmark|merge|extract|split|test)\b"
)

# "* fix data race", in the list of squashed commits
BULLET = re.compile(r" {0,4}[*-] ")
# 'Revert "executor: fix data race (#1)"', "hub: revert the fix of a race"
REVERT = _any(r"^(?:[\w/*, .-]{0,60}: *)?\"?(?:revert|reapply)\b")
# "This reverts commit 6c0fcea070a….", as git writes it
REVERTS = re.compile(r"\bThis reverts commit ([0-9a-f]{7,64})")
REVERTED_PULL = _any(r"^[^\n]{0,500}?\brevert\b[^\n]{0,500}?\(#(\d{1,9})\)")
# "close #31965", "fix pingcap/tidb#31965", "Fixes: https://github.com/…/issues/31965"
CLOSES = _any(r"\b(?:close|fix|resolve)(?:[sd]|es)?:? {1,4}\S{0,80}?(?:#|issues/)(\d{1,9})\b")
# "executor: fix data race (#30701)", "Merge pull request #777 from pingcap/coocood/tear-down"
PULL = re.compile(r"\(#(\d{1,9})\)\s*$|^Merge pull request #(\d{1,9}) ")
# "Merge branch 'master' into fix-race": updates a branch
CATCHES_UP = _any(r"^Merge (?:remote-tracking )?(?:branch|commit|tag|remote)\b")
