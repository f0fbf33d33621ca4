"""What a commit's message says about races; words only, knows no git and no source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

# nobody reads more of a message, and a hostile one may be huge
LONGEST = 1 << 18
_SUBJECT = 2_000
_SENTENCE = 400

# "fix data race", "DATARACE", "racy", "a race between", "KCSAN: data-race in"
_RACE = re.compile(r"\bdata[ _-]?rac(?:e|es|y|ing)\b|\brac(?:e|es|y|ing)\b", re.IGNORECASE)
# a race in memory or in time, and not some other contest
_PLAIN_RACE = re.compile(
    r"\bfix(?:es|ed|ing)?\b[^.\n]{0,30}\brac(?:e|es)\b|\bdata[ _-]?rac(?:e|es|y|ing)\b|\brac(?:e|es|y|ing)[ -]conditions?\b", re.IGNORECASE
)
# what speaks of the detector and of how tests are run: "enable race for more package", "-race",
# "check race when using tikv", "speed up race test", "timeout for race", "norace"
_TOOL = re.compile(
    r"(?<!\S)-race\b|\bno-?race\b|(?<!pass )(?<!pass `)\bmake race\b|\brace(?: is| was)? (?:en|dis)abled?\b"
    r"|(?<!data )(?<!data-)\brac(?:e|ing)[ -](?:detect(?:or|ion)|tests?|testing|builds?|mode|check(?:s|er|ing)?|flags?"
    r"|enabled|tags?|ci|runs?|skips?|jobs?|instrumentation|workflows?|shards?|version)\b"
    r"|\b(?:enabl|disabl|skip|check|support|activat|turn|us)\w{0,4}(?: \w{1,12}){0,3} rac(?:e|es)\b"
    r"(?![ -]conditions?)(?! between)"
    r"|\b(?:under|for|in|with|without) (?:-)?race(?= *(?:$|[(.,;:]|\n|builds?|mode))",
    re.IGNORECASE,
)
# "fatal error: concurrent map writes", "not thread safe", "concurrently using the session"
_UNSAFE = re.compile(
    r"\bconcurrent map (?:read|writ|iter|access|error|panic|bug|issue|us)\w{0,8}\b"
    r"|\bconcurrent[ -](?:access|us(?:e|ing|age)|modif|read(?!er)|writ(?!er)|mutat|updat)\w{0,8}\b"
    r"|\bconcurrently (?:access|us|modif|read|writ|mutat|updat|chang|insert|append|add|delet|initiali|call|clos"
    r"|set)\w{0,8}\b"
    r"|\b(?:read|writ|access|us|modif|reading/writ)\w{0,5}\b[^.\n]{0,60}\bconcurrently\b"
    r"|\bunsafe(?:ly)? (?:concurren|access|shar)\w*|\bunsynchroni[sz]ed\b|\bnot synchroni[sz]ed\b"
    r"|\bwithout (?:any |holding |a |the |taking |acquiring )*(?:\w{1,20} )?(?:lock|mutex|synchroni[sz]ation)\b"
    r"|\bconcurren(?:t|cy) (?:bug|issue|problem|error|panic|execution)s?\b"
    r"|\bmemory (?:ordering|barrier)\b|\btorn (?:read|write)s?\b|\buse[ -]after[ -]free\b",
    re.IGNORECASE,
)
# "make snapshot thread safe", "concurrent safe api for using rule bundles cache"
_SAFE = re.compile(
    r"\b(?:thread|goroutine|concurren\w{1,4}|routine|race)[ -]?(?:un)?safe(?:ty|ly)?\b", re.IGNORECASE
)
# "add a mutex in TxnState.initStmtBuf", "make EnableSlowLog atomic", "use atomic values for"
_REMEDY = re.compile(
    r"\b(?:add|adds|added|adding|use|uses|used|using|take|takes|taking|hold|holds|holding|protect|protects|guard"
    r"|guards|acquire|acquires|need|needs|miss|missing|missed|with|lack|lacks)\b(?: (?!for\b|to\b)[\w.`*-]{1,30}){0,3}?"
    r" (?:(?:rw)?(?:lock|locks|locking)(?= *(?:$|[,.;:(]|(?:for|to|in|at|around|when|before|while|on|of|and|into"
    r"|from|during|by|protect\w{0,4})\b))|mutex|mutexes|rwmutex|atomics?|waitgroup|wait group|sync\.\w{1,12}|synchroni[sz]ation)\b"
    r"|\b(?:in|under|within|inside|by) (?:the |a |an |one |same |its |single ){0,2}(?:rw)?(?:lock|mutex)\b"
    r"|\bgoroutines?\b[^.\n]{0,40}\b(?:exit|finish|end|quit|return)\w{0,3}\b"
    r"|(?:^|: *)(?:rw)?lock (?:the |\S{1,40} )?(?:before|when|while|during|in|and|call|access|read|writ)\w{0,5}\b"
    r"|\bmake\b[^.\n]{0,60}\batomic\b|\b(?:protect|guard)(?:s|ed|ing)?\b[^.\n]{0,60}\b(?:lock|mutex)\b",
    re.IGNORECASE,
)
# what may have been a race: an unstable test, a panic, a worker that goes on too long
_SYMPTOM = re.compile(
    r"\bunstable\b|\bflak(?:y|iness|e)\b|\bstab(?:ili[sz]e|le)\b|\bpanic\w{0,5}\b|\bgoroutines?\b"
    r"|\bconcurren\w{1,6}\b|\bparallel\w{0,3}\b|\bnil pointer\b|\bthreads?\b|\bintermittent\w{0,2}\b",
    re.IGNORECASE,
)
# the same thing in other clothes: "use atomic.Pointer instead of atomic.Value", "lock-free"
_SWAPS = re.compile(
    r"\breplac\w{1,4}\b|\binstead of\b|\bperformance\b|\bspeed\b|\bfaster\b|\bredundant\b|\bunnecessary\b|\bmigrat"
    r"|\breduce (?:the )?(?:memory|alloc|lock|contention)|\boptimi[sz]|\block-?(?:free|less)\b|\bdeadlock|\binversions?\b|\bcontention\b|\bgrained\b",
    re.IGNORECASE,
)
# "*: upgrade gomod to fix data race", "vendor: update pd to fix a pd-client race"
_UPDATES = re.compile(r"\b(?:updat|upgrad|bump)\w{1,3}\b", re.IGNORECASE)
# what fails now and then
_SHAKES = re.compile(r"\bunstable\b|\bflak(?:y|iness|e)\b|\bstab(?:ili[sz]e|le)\b|\bpanic", re.IGNORECASE)
_MENDS = re.compile(
    r"\b(?:fix|avoid|prevent|resolv|solv|remov|eliminat|address|correct|handl|guard|protect|mak|ensur|repair"
    r"|reduc|stop|stabili[sz]|disabl|don't|do not|never|bug|workaround|work around|mend|close|closes)(?:e|es|ed|ing|s)?\b",
    re.IGNORECASE,
)
# a subject that promises something new: a race that its message mentions was of its own making
_MAKES = re.compile(
    r"(?:^|[:\]] *)(?:\*+ *)?(?:add|adds|support|supports|introduce|implement|enable|allow|refactor|refine|improve"
    r"|optimi[sz]e|speed up|upgrade|bump|migrate|move|rename|docs?|document|replace|benchmark|merge|extract|split|test)\b",
    re.IGNORECASE,
)
# "* fix data race", a line of the list that GitHub makes of a branch's commits
_BULLET = re.compile(r"^ {0,4}[*-] ", re.MULTILINE)
# 'Revert "executor: fix data race (#1)"', "revert: …", "This reverts commit 6c0fcea070a…."
_REVERT = re.compile(r"^(?:[\w/*, .-]{0,60}: *)?\"?(?:revert|reapply)\b", re.IGNORECASE)
_REVERTS = re.compile(r"\bThis reverts commit ([0-9a-f]{7,64})")
_REVERTED_PULL = re.compile(r"^[^\n]{0,500}?\brevert\b[^\n]{0,500}?\(#(\d{1,9})\)", re.IGNORECASE)
# "close #31965", "fix pingcap/tidb#31965", "Fixes: https://github.com/…/issues/31965", "ref #1"
_ISSUES = re.compile(
    r"\b(?:close|fix|resolve|ref|reference|see|update)[sd]?(?:es)?:? {1,4}\S{0,80}?(?:#|issues/)(\d{1,9})\b",
    re.IGNORECASE,
)
_MORE_ISSUES = re.compile(r", *(?:close|ref|fix)?\w{0,2} *\S{0,80}?#(\d{1,9})\b", re.IGNORECASE)
# "executor: fix data race (#30701)", "Merge pull request #777 from pingcap/coocood/tear-down"
_PULL = re.compile(r"\(#(\d{1,9})\)\s*$|^Merge pull request #(\d{1,9}) ")
# "Merge branch 'master' into fix-race": others' work comes to this branch
_CATCHES_UP = re.compile(r"^Merge (?:remote-tracking )?(?:branch|commit|tag|remote)\b", re.IGNORECASE)


class Weight(IntEnum):
    """How much of the answer is in the words alone."""

    NOTHING = 0
    SYMPTOM = 1  # something that a race may have caused
    HINT = 2  # the text below the subject says that things race, or are used at once
    REMEDY = 3  # something that is done against races
    UNSAFE = 4  # something that is used at once by several and must not be
    MENTION = 5  # the text below the subject speaks of a data race or a race condition
    SAYS = 6  # the subject speaks of a race


@dataclass(frozen=True, slots=True)
class Speech:
    """What a message says."""

    weight: Weight
    why: str
    mends: bool = False
    makes: bool = False
    swaps: bool = False
    shakes: bool = False
    updates: bool = False
    issues: tuple[str, ...] = ()
    pull: str | None = None
    is_revert: bool = False
    reverts: tuple[str, ...] = ()  # commits, by their ids or their beginnings
    reverts_pulls: tuple[str, ...] = ()
    catches_up: bool = False


def heard(subject: str, text: str) -> Speech:
    """The speech of one commit."""
    subject, text = subject[:_SUBJECT], text[:LONGEST]
    weight, why = _weighed(subject, text)
    pull = _PULL.search(subject)
    is_revert = _REVERT.match(subject) is not None
    return Speech(
        weight,
        why,
        _MENDS.search(subject) is not None,
        _MAKES.search(subject) is not None,
        _SWAPS.search(subject) is not None,
        _SHAKES.search(subject) is not None,
        _UPDATES.search(subject) is not None,
        tuple(dict.fromkeys(_ISSUES.findall(text) + _MORE_ISSUES.findall(text[:_SUBJECT])))[:20],
        (pull[1] or pull[2]) if pull else None,
        is_revert,
        tuple(_REVERTS.findall(text)),
        tuple(_REVERTED_PULL.findall(subject)) if is_revert else (),
        _CATCHES_UP.match(subject) is not None and "pull request" not in subject,
    )


def _weighed(subject: str, text: str) -> tuple[Weight, str]:
    if found := _RACE.search(_TOOL.sub(" ", subject)):
        return Weight.SAYS, f"its subject says “{found[0]}”"
    body = text.partition("\n")[2]
    if found := _unlisted(body, _PLAIN_RACE):
        return Weight.MENTION, f"its message says “{found}”"
    safe = Weight.UNSAFE if _MENDS.search(subject) else Weight.REMEDY
    for pattern, weight in (
        (_SAFE, safe),
        (_UNSAFE, Weight.UNSAFE),
        (_REMEDY, Weight.REMEDY),
    ):
        if found := pattern.search(subject):
            return weight, f"its subject says “{found[0]}”"
    if found := _unlisted(body, _RACE) or _unlisted(body[:_SUBJECT], _UNSAFE):
        return Weight.HINT, f"its message says “{found}”"
    if found := _SYMPTOM.search(subject):
        return Weight.SYMPTOM, f"its subject says “{found[0]}”"
    return Weight.NOTHING, ""


def _unlisted(body: str, pattern: re.Pattern[str]) -> str:
    """Words in prose; a race in the list of a branch's own commits was made and mended in it."""
    if not pattern.search(body):
        return ""
    for line in body.split("\n"):
        if not _BULLET.match(line) and (found := pattern.search(_TOOL.sub(" ", line[:_SENTENCE]))):
            return found[0]
    return ""
