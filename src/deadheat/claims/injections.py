"""Finds what was injected to trigger the race: failpoints, faults, sleeps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.claims import Said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.claims.outline import Outline

# a failpoint's term: "30%sleep(200)->9%sleep(400)", "return(true)", "5*return(1)", "pause"
_ACTION = (
    r"(?:\d{1,3}(?:\.\d{1,6})?%)?(?:\d{1,9}\*)?"
    r"(?:return|sleep|panic|pause|print|break|delay|off|yield)"
)
_ARGUMENT = r"(?:\((?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|\\\"[^\"\n]{0,200}\\\"|[^()\n]{0,100})\))?"
_TERM = rf"{_ACTION}{_ARGUMENT}(?:->{_ACTION}{_ARGUMENT}){{0,20}}"
# an unambiguous term: with a percentage, a count or an arrow
_SURE = re.compile(
    rf"(?<![\w%])(?=\d{{1,3}}(?:\.\d{{1,6}})?%|\d{{1,9}}\*|[a-z]{{2,6}}{_ARGUMENT}->)"
    rf"({_TERM})(?![\w(])"
)
# 'failpoint.Enable("example.com/shop/ledger/slow", "return(true)")', 'testfailpoint.Enable(t, ...'
_ENABLE = re.compile(
    r"\b(?:failpoint|testfailpoint|gofail)\.(?:Enable(?:Call|WithHook)?|EnableTemporarily)\("
    r"(?:\s*\w{1,20},)?\s*[\"`]([\w./:-]{1,300})[\"`](?:\s*,\s*(?:\"((?:[^\"\\\n]|\\.){0,400})\"|`([^`\n]{0,400})`))?"
)
# 'failpoint.Inject("slowCommit", func() {...'; the term may be in a comment after it
_INJECT = re.compile(
    r"\bfailpoint\.(?:Inject(?:Call|Context)?|Eval)\((?:\s*[\w.]{1,40}\s*,)?\s*(?:_curpkg_\()?\"([\w./-]{1,200})\"[^\n]*"
)
# 'GO_FAILPOINTS="example.com/shop/ledger/slowCommit=return(true);other=pause"'
_VARIABLE = re.compile(
    r"\bGO(?:FAIL)?_FAILPOINTS=(?:\"([^\"\n]{1,2000})\"|'([^'\n]{1,2000})'|([^\s\"']{1,2000}))"
)
# "// gofail: var beforeCommit struct{}"
_GOFAIL = re.compile(r"//\s*gofail:\s*(?:var )?(\w{1,100})")
# "echo 'return(true)' | ... PUT http://127.0.0.1:10080/fail/example.com/shop/ledger/slowCommit"
_HTTP = re.compile(r"https?://[\w.:-]{3,60}/fail/([\w./-]{1,300})")
# "curl -X PUT -d 'return(true)' http://..."
_SENT = re.compile(rf"(?:-d|--data)[ =]?['\"]?({_TERM})(?![\w(])")
_FAULT = re.compile(
    # "/sys/kernel/debug/failslab/probability", "failslab", "fail_nth: 5", "CONFIG_FAULT_INJECTION"
    r"(/sys/kernel/debug/fail[\w/-]{1,100}|\bfail_nth:? ?\d{1,6}|\bfail_page_alloc\b|\bfailslab\b"
    r"|\bfail_make_request\b|\bfail_futex\b|/proc/(?:self|\d{1,9})/(?:task/\d{1,9}/)?fail-nth\b"
    r"|\b[Ff]ault[- ]injection\b)"
)
_SLEEP = (
    r"(?:time\.Sleep|runtime\.Gosched|usleep|nanosleep|msleep|mdelay|udelay|sched_yield"
    r"|std::thread::sleep|thread::sleep|sleep_for|sleep)"
)
# "I added a `time.Sleep(100 * time.Millisecond)` before ..."
_ADDED = re.compile(
    r"\b(?:add(?:ed|ing)?|insert(?:ed|ing)?|put(?:ting)?|inject(?:ed|ing)?|plac(?:ed|ing|e))\b[^.\n]{0,60}?"
    rf"({_SLEEP}\((?:[^()\n]|\([^()\n]{{0,40}}\)){{0,100}}\)|\bsleeps?\b(?: of \d[\w ]{{0,12}})?)",
    re.IGNORECASE,
)
# "+	time.Sleep(time.Second)" in a diff
_DIFF = re.compile(
    rf"^\+[ \t]*((?:{_SLEEP})\([^\n]{{0,100}}\));?[ \t]*(?://[^\n]{{0,100}})?\r?$", re.MULTILINE
)
_DIFFS = frozenset(("diff", "patch"))


class Injections:
    kind = "injection"

    def find(self, outline: Outline) -> Iterator[Said]:
        taken: list[tuple[int, int]] = []
        for block in outline.blocks:
            for said in self._failpoints(outline.text, block.start, block.end):
                taken.append((said.start, said.end))
                yield said
            for match in _SURE.finditer(outline.text, block.start, block.end):
                if not any(a <= match.start() < b for a, b in taken[-50:]):
                    details = (("expression", match[1]),)
                    yield Said(self.kind, match[1], *match.span(1), "failpoint", details)
            if not block.printed:
                for match in _FAULT.finditer(outline.text, block.start, block.end):
                    yield Said(self.kind, match[1], *match.span(1), "fault")
            if block.kind == "prose":
                for match in _ADDED.finditer(outline.text, block.start, block.end):
                    yield Said(self.kind, match[1], *match.span(), "sleep")
            elif block.info in _DIFFS or outline.text.startswith(("diff ", "--- "), block.start):
                for match in _DIFF.finditer(outline.text, block.start, block.end):
                    yield Said(self.kind, match[1], *match.span(1), "sleep")

    def _failpoints(self, text: str, start: int, end: int) -> Iterator[Said]:
        for match in _ENABLE.finditer(text, start, end):
            yield self._failpoint(match[1], match[2] or match[3] or "", *match.span())
        for match in _INJECT.finditer(text, start, end):
            said = _SURE.search(match[0])
            yield self._failpoint(match[1], said[1] if said else "", match.start(), match.end())
        for match in _VARIABLE.finditer(text, start, end):
            for pair in (match[1] or match[2] or match[3]).split(";"):
                name, _, term = pair.partition("=")
                if name.strip():
                    yield self._failpoint(name.strip(), term.strip(), *match.span())
        for match in _HTTP.finditer(text, start, end):
            line = text[text.rfind("\n", start, match.start()) + 1 : match.end() + 400].split("\n")[
                0
            ]
            said = _SENT.search(line)
            yield self._failpoint(match[1], said[1] if said else "", *match.span())
        for match in _GOFAIL.finditer(text, start, end):
            yield self._failpoint(match[1], "", *match.span())

    def _failpoint(self, name: str, term: str, start: int, end: int) -> Said:
        details = (("expression", term.replace('\\"', '"')),) if term else ()
        return Said(self.kind, name, start, end, "failpoint", details)


FINDER = Injections()
