"""Where values of a type are copied, by the text of Go files: passed, given back, kept in a map."""

from __future__ import annotations

import re

# no declaration that a person wrote is longer
_WIDE = 200
# types that have a value of another one in them, that are looked at
_MOST = 8
_PARAMETERS = r"(?:\[[^\]\n]{0,80}\])?"  # "[K, V]", of a generic type
# "func (b *Bank) Pay(from Account, n int)", "func NewTeller(l Ledger) *Teller"
_PASSED = (
    r"^func [^\n]{0,%d}?[(,] ?\w{1,60}(?:, ?\w{1,60}){0,8} (?:\.\.\.)?%s" + _PARAMETERS + r"[,)]"
)
# "func (l *Lift) Gate() Gate {": who makes one has no receiver
_GIVEN = (
    r"^func \([^)\n]{1,120}\) \w{1,80}\([^\n]{0,%d}?\) \(?(?:\w{1,60} )?%s" + _PARAMETERS + r"[,) ]"
)
# "shelves map[string]Inventory", "jobs chan Job": what is in them can only be had as a copy
_KEPT = r"\bmap\[[^\]\n]{1,80}\]%s\b|\bchan(?:<-)? %s\b"
# "	score Guarded[Score]", "	Ledger", "	a, b Account": one lies in another
_WITHIN = (
    r"^\t(?:\w{1,60}(?:, ?\w{1,60}){0,8}[ \t]{1,40})?%s" + _PARAMETERS + r"(?:[ \t][^\n]{0,200})?$"
)
_STRUCT = re.compile(r"^type (\w{1,80})[^\n]{0,100}\bstruct \{", re.MULTILINE)
# "func (t Team) Goal() {"
_OF_VALUE = r"^func \((?:\w{1,60} )?%s" + _PARAMETERS + r"\) "
# "func (r *Request) With(path string) *Request {", and then "next := *r"
_LENT = r"^func [^\n]{0,%d}?[(,] ?(\w{1,60}) \*%s" + _PARAMETERS + r"[,)][^\n]{0,200}\{\n"
# "type Team struct{ score Guarded[Score] }"
_IN_LINE = (
    r"^type (\w{1,80})[^\n]{0,100}\bstruct ?\{ ?(?:[^\n}]{0,100}[ ;])?%s" + _PARAMETERS + r"[ ;}]"
)


def copied(text: str, kind: str) -> int | None:
    """The line, counted from 1, that copies a value of a type or of one that has it in it."""
    for name in [kind, *_around(text, kind)]:
        word = re.escape(name)
        forms = [_PASSED % (_WIDE, word), _GIVEN % (_WIDE, word), _KEPT % (word, word)]
        for form in (*forms, _OF_VALUE % word):
            if told := re.search(form, text, re.MULTILINE):
                return text.count("\n", 0, told.start()) + 1
        if (at := _dereferenced(text, word)) is not None:
            return text.count("\n", 0, at) + 1
    return None


def _dereferenced(text: str, word: str) -> int | None:
    """Where a function copies what it has a pointer to."""
    for told in re.finditer(_LENT % (_WIDE, word), text, re.MULTILINE):
        end = text.find("\n}", told.end())
        # "next := *r", "&Guard{key: *key}", "keep(*key)"
        copy = re.compile(rf"[=:(,] ?\*{re.escape(told[1])}(?:[,)}}]|$)", re.MULTILINE)
        if found := copy.search(text, told.end(), end if end >= 0 else len(text)):
            return found.start()
    return None


def _around(text: str, kind: str) -> list[str]:
    """The structs that have a value of the type as a field."""
    found = [m[1] for m in re.finditer(_IN_LINE % re.escape(kind), text, re.MULTILINE)]
    for row in re.finditer(_WITHIN % re.escape(kind), text, re.MULTILINE):
        above = list(_STRUCT.finditer(text, 0, row.start()))[-1:]
        # a line that begins with a brace ends what was opened above
        if above and "\n}" not in text[above[0].end() : row.start()]:
            found.append(above[0][1])
    return found[:_MOST]
