"""Finds what triggers or avoids the race: settings, injected faults, workarounds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.bug_reports.claims import ClaimFinder, ClaimMatch
from deadheat.bug_reports.claims.code_blocks import shell_commands, sql_statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.bug_reports.claims.code_blocks import QuotedCommand
    from deadheat.bug_reports.claims.outline import BugReportOutline, OutlineBlock

_SETTING_VALUE = r"(?:'[^'\n]{0,400}'|\"[^\"\n]{0,400}\"|[^\s,;'\"`]{1,200})"
# "set @@tidb_index_join_batch_size = 1", "SET GLOBAL x = ON, y = 2"; not a user variable "set @x = 1"
_SQL_SETTING = re.compile(
    r"(?:\bset\s+|,\s*)(?P<scope>(?:global|session|local|persist)\s+|@@(?:global|session|local)\.)?"
    rf"(?:@@)?(?P<name>[A-Za-z_]\w{{1,100}})\s*:?=\s*(?P<value>{_SETTING_VALUE})",
    re.IGNORECASE,
)
_SET_STATEMENT = re.compile(r"set\s", re.IGNORECASE)
# 'GORACE="halt_on_error=1"', "export GOMAXPROCS=2"
_ENVIRONMENT_VARIABLE = re.compile(rf"(?<![\w-])([A-Z][A-Z0-9_]{{1,60}})=({_SETTING_VALUE})")
# environment variables that are recognized without a command
_KNOWN_VARIABLES = frozenset((
    "GORACE", "GOMAXPROCS", "GODEBUG", "GOFLAGS", "GOGC", "GOEXPERIMENT", "GOARCH", "GOOS", "GOAMD64",
    "GOTRACEBACK", "CGO_ENABLED", "GO111MODULE", "TSAN_OPTIONS", "RUSTFLAGS", "RUST_TEST_THREADS",
    "MIRIFLAGS", "OMP_NUM_THREADS", "MALLOC_ARENA_MAX",
))  # fmt: skip
# failpoints, which are a kind of their own
_FAILPOINT_VARIABLES = frozenset(("GO_FAILPOINTS", "GOFAIL_FAILPOINTS", "GOFAIL_HTTP"))
# "CONFIG_KCSAN=y"
_KERNEL_CONFIG = re.compile(r"(?<!\w)(CONFIG_[A-Z0-9_]{2,80})=(y|m|n|\d{1,12}|\"[^\"\n]{0,100}\")(?!\w)")
# "sysctl -w kernel.kptr_restrict=1"
_SYSCTL_SETTING = re.compile(r"\bsysctl (?:-w )?([\w.]{3,100}) ?= ?(\S{1,100})")
# flags that affect whether a race occurs
_RACE_FLAG = re.compile(
    r"(?<!\S)(--?(?:race|short|failfast|msan|asan)|--?(?:count|cpu|parallel|tags|shuffle|benchtime|timeout|runs_per_test"
    r"|test-threads|tool|history-level|jobs)(?:[= ](?!-)[\w.,:-]{1,60})?|-[jp][ =]?\d{1,3}"
    r"|-fsanitize=[\w,]{1,60}|-Z ?sanitizer=\w{1,30}|-Zmiri-[\w=-]{1,60}|-O[0-3sz])(?!\S)"
)


def _find_settings(outline: BugReportOutline) -> Iterator[ClaimMatch]:
    for command in sql_statements(outline):
        if _SET_STATEMENT.match(command.text):  # "update t set v = 1" sets no variable
            for match in _SQL_SETTING.finditer(outline.text, command.start, command.end):
                yield _sql_match(match, command.session)
    for command in shell_commands(outline):
        yield from _shell_settings(outline.text, command)
    for block in outline.blocks:
        if not block.has_report:
            for match in _KERNEL_CONFIG.finditer(outline.text, block.start, block.end):
                yield ClaimMatch(match[0], *match.span(), "config")
        if block.kind == "prose":
            yield from _prose_settings(outline.text, block.start, block.end)


def _sql_match(match: re.Match[str], session: str = "") -> ClaimMatch:
    scope = (match["scope"] or "").strip("@. ").lower()
    details = [("scope", scope)] if scope else []
    details += [("session", session)] if session else []
    value = f"{match['name']} = {match['value']}"
    return ClaimMatch(value, *match.span(), "sql", tuple(details))


def _shell_settings(text: str, command: QuotedCommand) -> Iterator[ClaimMatch]:
    for match in _ENVIRONMENT_VARIABLE.finditer(text, command.start, command.end):
        if match[1] not in _FAILPOINT_VARIABLES:
            yield ClaimMatch(f"{match[1]}={match[2]}", *match.span(), "environment")
    for match in _RACE_FLAG.finditer(text, command.start, command.end):
        yield ClaimMatch(match[1], *match.span(1), "flag")
    for match in _SYSCTL_SETTING.finditer(text, command.start, command.end):
        yield ClaimMatch(f"{match[1]} = {match[2]}", *match.span(), "sysctl")


def _prose_settings(text: str, start: int, end: int) -> Iterator[ClaimMatch]:
    for match in _ENVIRONMENT_VARIABLE.finditer(text, start, end):
        if match[1] in _KNOWN_VARIABLES:
            value = match[2].rstrip(".,)")
            stop = match.end() - (len(match[2]) - len(value))
            yield ClaimMatch(f"{match[1]}={value}", match.start(), stop, "environment")
    for match in _SQL_SETTING.finditer(text, start, end):
        before = text[max(start, match.start() - 1) : match.start()]
        # "`set x=1`" may be a shell command
        if before == "`" and (match["scope"] or "@@" in match[0]):
            yield _sql_match(match)


# a failpoint's term: "30%sleep(200)->9%sleep(400)", "return(true)", "5*return(1)", "pause"
_FAILPOINT_ACTION = r"(?:\d{1,3}(?:\.\d{1,6})?%)?(?:\d{1,9}\*)?(?:return|sleep|panic|pause|print|break|delay|off|yield)"
_FAILPOINT_ARGUMENT = r"(?:\((?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|\\\"[^\"\n]{0,200}\\\"|[^()\n]{0,100})\))?"
_FAILPOINT_TERM = rf"{_FAILPOINT_ACTION}{_FAILPOINT_ARGUMENT}(?:->{_FAILPOINT_ACTION}{_FAILPOINT_ARGUMENT}){{0,20}}"
# an unambiguous term: with a percentage, a count or an arrow
_UNAMBIGUOUS_TERM = re.compile(
    rf"(?<![\w%])(?=\d{{1,3}}(?:\.\d{{1,6}})?%|\d{{1,9}}\*|[a-z]{{2,6}}{_FAILPOINT_ARGUMENT}->)"
    rf"({_FAILPOINT_TERM})(?![\w(])"
)
# 'failpoint.Enable("example.com/shop/ledger/slow", "return(true)")', 'testfailpoint.Enable(t, ...'
_FAILPOINT_ENABLE = re.compile(
    r"\b(?:failpoint|testfailpoint|gofail)\.(?:Enable(?:Call|WithHook)?|EnableTemporarily)\("
    r"(?:\s*\w{1,20},)?\s*[\"`]([\w./:-]{1,300})[\"`](?:\s*,\s*(?:\"((?:[^\"\\\n]|\\.){0,400})\"|`([^`\n]{0,400})`))?"
)
# 'failpoint.Inject("slowCommit", func() {...'; the term may be in a comment after it
_FAILPOINT_INJECT = re.compile(
    r"\bfailpoint\.(?:Inject(?:Call|Context)?|Eval)\((?:\s*[\w.]{1,40}\s*,)?\s*(?:_curpkg_\()?\"([\w./-]{1,200})\"[^\n]*"
)
# 'GO_FAILPOINTS="example.com/shop/ledger/slowCommit=return(true);other=pause"'
_FAILPOINT_VARIABLE = re.compile(
    r"\bGO(?:FAIL)?_FAILPOINTS=(?:\"([^\"\n]{1,2000})\"|'([^'\n]{1,2000})'|([^\s\"']{1,2000}))"
)
# "// gofail: var beforeCommit struct{}"
_GOFAIL_COMMENT = re.compile(r"//\s*gofail:\s*(?:var )?(\w{1,100})")
# "echo 'return(true)' | ... PUT http://127.0.0.1:10080/fail/example.com/shop/ledger/slowCommit"
_FAILPOINT_URL = re.compile(r"https?://[\w.:-]{3,60}/fail/([\w./-]{1,300})")
# "curl -X PUT -d 'return(true)' http://..."
_SENT_TERM = re.compile(rf"(?:-d|--data)[ =]?['\"]?({_FAILPOINT_TERM})(?![\w(])")
_KERNEL_FAULT = re.compile(
    # "/sys/kernel/debug/failslab/probability", "failslab", "fail_nth: 5", "CONFIG_FAULT_INJECTION"
    r"(/sys/kernel/debug/fail[\w/-]{1,100}|\bfail_nth:? ?\d{1,6}|\bfail_page_alloc\b|\bfailslab\b"
    r"|\bfail_make_request\b|\bfail_futex\b|/proc/(?:self|\d{1,9})/(?:task/\d{1,9}/)?fail-nth\b"
    r"|\b[Ff]ault[- ]injection\b)"
)
_SLEEP_CALL = (
    r"(?:time\.Sleep|runtime\.Gosched|usleep|nanosleep|msleep|mdelay|udelay|sched_yield"
    r"|std::thread::sleep|thread::sleep|sleep_for|sleep)"
)
# "I added a `time.Sleep(100 * time.Millisecond)` before ..."
_ADDED_SLEEP = re.compile(
    r"\b(?:add(?:ed|ing)?|insert(?:ed|ing)?|put(?:ting)?|inject(?:ed|ing)?|plac(?:ed|ing|e))\b[^.\n]{0,60}?"
    rf"({_SLEEP_CALL}\((?:[^()\n]|\([^()\n]{{0,40}}\)){{0,100}}\)|\bsleeps?\b(?: of \d[\w ]{{0,12}})?)",
    re.IGNORECASE,
)
# "+	time.Sleep(time.Second)" in a diff
_SLEEP_IN_DIFF = re.compile(
    rf"^\+[ \t]*((?:{_SLEEP_CALL})\([^\n]{{0,100}}\));?[ \t]*(?://[^\n]{{0,100}})?\r?$", re.MULTILINE
)
_DIFF_LANGUAGES = frozenset(("diff", "patch"))


def _find_injections(outline: BugReportOutline) -> Iterator[ClaimMatch]:
    taken_ranges: list[tuple[int, int]] = []
    for block in outline.blocks:
        for found in _find_failpoints(outline.text, block.start, block.end):
            taken_ranges.append((found.start, found.end))
            yield found
        for match in _UNAMBIGUOUS_TERM.finditer(outline.text, block.start, block.end):
            if not any(begin <= match.start() < end for begin, end in taken_ranges[-50:]):
                yield ClaimMatch(match[1], *match.span(1), "failpoint", (("expression", match[1]),))
        if not block.has_report:
            for match in _KERNEL_FAULT.finditer(outline.text, block.start, block.end):
                yield ClaimMatch(match[1], *match.span(1), "fault")
        if block.kind == "prose":
            for match in _ADDED_SLEEP.finditer(outline.text, block.start, block.end):
                yield ClaimMatch(match[1], *match.span(), "sleep")
        elif block.info_string in _DIFF_LANGUAGES or outline.text.startswith(("diff ", "--- "), block.start):
            for match in _SLEEP_IN_DIFF.finditer(outline.text, block.start, block.end):
                yield ClaimMatch(match[1], *match.span(1), "sleep")


def _find_failpoints(text: str, start: int, end: int) -> Iterator[ClaimMatch]:
    for match in _FAILPOINT_ENABLE.finditer(text, start, end):
        yield _failpoint_match(match[1], match[2] or match[3] or "", *match.span())
    for match in _FAILPOINT_INJECT.finditer(text, start, end):
        term_match = _UNAMBIGUOUS_TERM.search(match[0])
        yield _failpoint_match(match[1], term_match[1] if term_match else "", match.start(), match.end())
    for match in _FAILPOINT_VARIABLE.finditer(text, start, end):
        for pair in (match[1] or match[2] or match[3]).split(";"):
            name, _, term = pair.partition("=")
            if name.strip():
                yield _failpoint_match(name.strip(), term.strip(), *match.span())
    for match in _FAILPOINT_URL.finditer(text, start, end):
        line = text[text.rfind("\n", start, match.start()) + 1 : match.end() + 400].split("\n")[0]
        term_match = _SENT_TERM.search(line)
        yield _failpoint_match(match[1], term_match[1] if term_match else "", *match.span())
    for match in _GOFAIL_COMMENT.finditer(text, start, end):
        yield _failpoint_match(match[1], "", *match.span())


def _failpoint_match(name: str, term: str, start: int, end: int) -> ClaimMatch:
    details = (("expression", term.replace('\\"', '"')),) if term else ()
    return ClaimMatch(name, start, end, "failpoint", details)


# "As a workaround, ...", "To work around this, ...", "it can be avoided by ..."
_WORKAROUND_WORDS = re.compile(
    r"\bwork[- ]?arounds?\b|\bwork(?:s|ed|ing)? around (?:this|it|the|that)\b"
    r"|\b(?:can|could|may) be (?:avoided|mitigated|worked around) (?:by|with|if|when)\b"
    r"|\b(?:to|you can|we can|I) (?:avoid|mitigate|bypass|circumvent) (?:this|the) "
    r"(?:problem|issue|race|bug|crash|error|panic)\b|\bmitigation:",
    re.IGNORECASE,
)
# "There is no known workaround", "Workaround: none", "a workaround that does not help"
_NO_WORKAROUND = re.compile(
    r"\b(?:no|any|without|not|isn't|don't know|unknown|looking for|need)\b[^.]{0,24}\bwork[- ]?around"
    r"|\bwork[- ]?arounds?\b[?: ]{1,3}(?:none|no|n/a|unknown|-)?\s*$"
    r"|\bwork[- ]?arounds?\b\?|\bwork[- ]?arounds?\b[^.]{0,24}\b(?:known|not|doesn't|didn't)\b",
    re.IGNORECASE,
)
_WORKAROUND_SECTION = re.compile(r"\bwork[- ]?arounds?\b", re.IGNORECASE)
_EMPTY_ANSWER = re.compile(r"\W*+(?:none|no|n/?a|unknown|no response|tbd)?\W*+$", re.IGNORECASE)
# "/*+ INL_HASH_JOIN(...) */"
_SQL_HINT = re.compile(r"/\*\+[^*\n]{1,400}\*/")
# "`GOMAXPROCS=1`"; not a commit hash
_INLINE_CODE = re.compile(r"`(?![0-9a-f]{7,40}`)([^`\n]{2,400})`")


def _find_workarounds(outline: BugReportOutline) -> Iterator[ClaimMatch]:
    for block, start, end in outline.sentences():
        text = outline.text[start:end]
        if _WORKAROUND_SECTION.search(block.section) and not _EMPTY_ANSWER.match(text):
            if len(text) >= 24 or not _WORKAROUND_SECTION.search(text):  # not the heading of the section
                yield _sentence_match(text, start, end)
        elif _WORKAROUND_WORDS.search(text) and not _NO_WORKAROUND.search(text):
            yield _sentence_match(text, start, end)
    for block in outline.code_blocks():
        if _WORKAROUND_SECTION.search(block.section) and not block.has_report and outline.block_text(block).strip():
            yield _code_match(outline, block)


def _sentence_match(text: str, start: int, end: int) -> ClaimMatch:
    """The hint or code in the sentence, if there is exactly one; otherwise the sentence."""
    if hint := _SQL_HINT.search(text):
        return ClaimMatch(hint[0], start, end, "hint")
    if len(codes := _INLINE_CODE.findall(text)) == 1:
        return ClaimMatch(codes[0], start, end, "code")
    return ClaimMatch(text, start, end, "advice")


def _code_match(outline: BugReportOutline, block: OutlineBlock) -> ClaimMatch:
    text = outline.block_text(block)
    hint = _SQL_HINT.search(text)
    value, role = (hint[0], "hint") if hint else (text.strip(), "code")
    start = block.start + len(text) - len(text.lstrip())
    return ClaimMatch(value, start, start + len(text.strip()), role)


FINDERS = (
    ClaimFinder("setting", _find_settings),
    ClaimFinder("injection", _find_injections),
    ClaimFinder("workaround", _find_workarounds),
)
