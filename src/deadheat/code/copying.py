"""Finds copies of values of a type in Go text: arguments, results, containers, loops."""

from __future__ import annotations

import re
from itertools import islice

# length of a declaration
_WIDE = 200
# limits: enclosing types, functions
_MOST, _FUNCTIONS = 8, 100
_FAR = 10_000  # length of a struct or function
_BIGGEST = 1 << 19  # longer files are generated
_PARAMETERS = r"(?:\[[^\]\n]{0,80}\])?"  # "[K, V]"
# "func (b *Bank) Pay(from Account, n int)", "func NewTeller(l Ledger) *Teller"
_PASSED = (
    r"^func [^\n]{0,%d}?[(,] ?\w{1,60}(?:, ?\w{1,60}){0,8} (?:\.\.\.)?%s" + _PARAMETERS + r"[,)]"
)
# "func (l *Lift) Gate() Gate {"; constructors have no receiver
_GIVEN = (
    r"^func \([^)\n]{1,120}\) \w{1,80}\([^\n]{0,%d}?\) \(?(?:\w{1,60} )?%s" + _PARAMETERS + r"[,) ]"
)
# "shelves map[string]Inventory", "jobs chan Job": elements are read as copies
_KEPT = r"\bmap\[[^\]\n]{1,80}\]%s\b|\bchan(?:<-)? %s\b"
# "	score Guarded[Score]", "	Ledger // of all", "	a, b Account": a field of the type;
# not "	Account string", where it is the field name
_WITHIN = (
    r"^\t(?:\w{1,60}(?:, ?\w{1,60}){0,8}[ \t]{1,40})?%s"
    + _PARAMETERS
    + r"[ \t]{0,40}(?:[`/][^\n]{0,200})?$"
)
_STRUCT = re.compile(r"type (\w{1,80})[^\n]{0,100}\bstruct \{")
# "func (t Team) Goal() {"
_OF_VALUE = r"^func \((?:\w{1,60} )?%s" + _PARAMETERS + r"\) "
# "func (r *Request) With(path string) *Request {", and then "next := *r"
_LENT = r"^func [^\n]{0,%d}?[(,] ?(\w{1,60}) \*%s" + _PARAMETERS + r"[,)][^\n]{0,200}\{\n"
# "type Team struct{ score Guarded[Score] }"
_IN_LINE = (
    r"^type (\w{1,80})[^\n]{0,100}\bstruct ?\{ ?(?:[^\n}]{0,100}[ ;])?%s" + _PARAMETERS + r"[ ;}]"
)
# "for _, lane := range r.lanes {"
_RANGE = re.compile(r"\bfor \w{1,60}, (\w{1,60}) :?= range ([\w.]{1,120}) \{")
# "lanes []Lane", "byName map[string]Lane", "lanes := []Lane{", "lanes = make([]Lane, n)"
_ROW = r"\b(\w{1,60}) (?::?= (?:make\()?)?(?:\[\w{0,20}\]|map\[[^\]\n]{1,80}\])%s\b"
# "lane := Lane{", "var lane Lane", "lane := newLane("
_VALUE = r"\b(\w{1,60}) :?= %s" + _PARAMETERS + r"\{|\bvar (\w{1,60}) %s" + _PARAMETERS + r"\s"
_MAKER = r"^func (\w{1,80})\([^\n]{0,%d}?\) %s" + _PARAMETERS + r" \{"
# "lane := newLane("
_MADE = r"\b(\w{1,60}) :?= %s\("
# "handler{c: c}", "out = lane", "serve(lane, 2)", "ch <- lane"; not "&lane", not "lane.n"
_WHOLE = r"(?:[:=({,]|<-) ?%s(?:[,)}\n])"


def copied(text: str, kind: str) -> int | None:
    """The line (from 1) that copies a value of the type, or of a struct that contains it."""
    if len(text) > _BIGGEST:
        return None
    for name in [kind, *_around(text, kind)]:
        word = re.escape(name)
        forms = [_PASSED % (_WIDE, word), _GIVEN % (_WIDE, word), _KEPT % (word, word)]
        for form in (*forms, _OF_VALUE % word):
            if told := re.search(form, text, re.MULTILINE):
                return text.count("\n", 0, told.start()) + 1
        for where in (_dereferenced, _gone_through, _handed_on):
            if (at := where(text, word)) is not None:
                return text.count("\n", 0, at) + 1
    return None


def _gone_through(text: str, word: str) -> int | None:
    """The offset of a range loop that copies the elements into its variable."""
    rows = {told[1] for told in islice(re.finditer(_ROW % word, text), _FUNCTIONS)}
    for told in islice(_RANGE.finditer(text), _FUNCTIONS) if rows else ():
        if told[1] != "_" and told[2].rpartition(".")[2] in rows:
            return told.start()
    return None


def _handed_on(text: str, word: str) -> int | None:
    """The offset at which a variable of the type is passed or stored by value."""
    made = list(islice(re.finditer(_VALUE % (word, word), text), _FUNCTIONS))
    for maker in islice(re.finditer(_MAKER % (_WIDE, word), text, re.MULTILINE), _MOST):
        made += islice(re.finditer(_MADE % re.escape(maker[1]), text), _MOST)
    for told in made:
        name = re.escape(next(group for group in told.groups() if group))
        end = text.find("\n}", told.end(), told.end() + _FAR)
        if found := re.compile(_WHOLE % name).search(text, told.end(), max(end, told.end())):
            return found.start()
    return None


def _dereferenced(text: str, word: str) -> int | None:
    """The offset at which a function copies the target of a pointer parameter."""
    for told in islice(re.finditer(_LENT % (_WIDE, word), text, re.MULTILINE), _FUNCTIONS):
        end = text.find("\n}", told.end(), told.end() + _FAR)
        # "next := *r", "&Guard{key: *key}", "keep(*key)"
        copy = re.compile(rf"[=:(,] ?\*{re.escape(told[1])}(?:[,)}}]|$)", re.MULTILINE)
        if found := copy.search(text, told.end(), max(end, told.end())):
            return found.start()
    return None


def _around(text: str, kind: str) -> list[str]:
    """The structs that contain the type by value."""
    in_line = re.finditer(_IN_LINE % re.escape(kind), text, re.MULTILINE)
    found = [told[1] for told in islice(in_line, _MOST)]
    rows = re.finditer(_WITHIN % re.escape(kind), text, re.MULTILINE)
    for row in islice(rows, _MOST):
        at = text.rfind("\ntype ", max(0, row.start() - _FAR), row.start()) + 1
        above = _STRUCT.match(text, at) if at else None
        # a brace in the first column ends the struct above
        if above and "\n}" not in text[above.end() : row.start()]:
            found.append(above[1])
    return found[:_MOST]
