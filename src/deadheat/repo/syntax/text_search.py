"""Searches source text by regular expressions: calls, stores, field uses, and copies of values."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from deadheat.repo.syntax.function_facts import function_facts_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.diagnosis.facts.code_facts import FunctionFacts

# "d.bootstrap(ctx)", "go m.accept(server)"; not "func (d *Daemon) bootstrap("
_CALL = rb"^(?!func )[^\n/\"`]{0,200}(?<!\w)%s\("
# "	if h.turns > 3 {"; not "	h.turns(3)", which is a call
_FIELD_USE = rb"^(?!func )[^\n/\"`]{0,200}\.%s\b(?!\()"
# limits: files of a folder, matching lines
_MAX_FILES, _MAX_CALLERS = 200, 12
_MAX_FIELD_USES = 30


def find_uses(sources: Mapping[str, bytes], name: str, is_field: bool) -> tuple[FunctionFacts, ...]:
    """Facts at the lines outside tests that call the function or use the field; empty if there are too many."""
    pattern, limit = (_FIELD_USE, _MAX_FIELD_USES) if is_field else (_CALL, _MAX_CALLERS)
    word = re.escape(name.encode("utf-8", "replace"))
    locations = _matching_lines(sources, name, pattern % word, limit)
    if len(locations) > limit:
        return ()
    facts = [function_facts_at("go", sources[path], path, line) for path, line in locations]
    return tuple(fact for fact in facts if fact is not None)


def _matching_lines(
    sources: Mapping[str, bytes], name: str, pattern: bytes, limit: int = _MAX_CALLERS
) -> list[tuple[str, int]]:
    word, regex = name.encode("utf-8", "replace"), re.compile(pattern, re.MULTILINE)
    files = [(path, text) for path, text in sources.items() if path.endswith(".go") and word in text]
    return [
        (path, text.count(b"\n", 0, match.start()) + 1)
        for path, text in files[:_MAX_FILES]
        if not path.endswith("_test.go")
        for match in islice(regex.finditer(text), limit + 1)
    ]


# length of a declaration
_MAX_GO_SIGNATURE = 200
# limits: enclosing types, functions
_MAX_GO_TYPES, _MAX_GO_FUNCTIONS = 8, 100
_MAX_GO_BODY = 10_000  # length of a struct or function
_MAX_GO_FILE = 1 << 19  # longer files are generated
_TYPE_PARAMETERS = r"(?:\[[^\]\n]{0,80}\])?"  # "[K, V]"
# "func (b *Bank) Pay(from Account, n int)", "func NewTeller(l Ledger) *Teller"
_GO_PASSED_BY_VALUE = r"^func [^\n]{0,%d}?[(,] ?\w{1,60}(?:, ?\w{1,60}){0,8} (?:\.\.\.)?%s" + _TYPE_PARAMETERS + r"[,)]"
# "func (l *Lift) Gate() Gate {"; constructors have no receiver
_GO_RETURNED_BY_VALUE = (
    r"^func \([^)\n]{1,120}\) \w{1,80}\([^\n]{0,%d}?\) \(?(?:\w{1,60} )?%s" + _TYPE_PARAMETERS + r"[,) ]"
)
# "shelves map[string]Inventory", "jobs chan Job": elements are read as copies
_GO_CONTAINER_ELEMENT = r"\bmap\[[^\]\n]{1,80}\]%s\b|\bchan(?:<-)? %s\b"
# "	score Guarded[Score]", "	Ledger // of all", "	a, b Account": a field of the type;
# not "	Account string", where it is the field name
_GO_STRUCT_FIELD = (
    r"^\t(?:\w{1,60}(?:, ?\w{1,60}){0,8}[ \t]{1,40})?%s" + _TYPE_PARAMETERS + r"[ \t]{0,40}(?:[`/][^\n]{0,200})?$"
)
_GO_STRUCT = re.compile(r"type (\w{1,80})[^\n]{0,100}\bstruct \{")
# "func (t Team) Goal() {"
_GO_VALUE_RECEIVER = r"^func \((?:\w{1,60} )?%s" + _TYPE_PARAMETERS + r"\) "
# "func (r *Request) With(path string) *Request {", and then "next := *r"
_GO_POINTER_PARAMETER = r"^func [^\n]{0,%d}?[(,] ?(\w{1,60}) \*%s" + _TYPE_PARAMETERS + r"[,)][^\n]{0,200}\{\n"
# "type Team struct{ score Guarded[Score] }"
_GO_ONE_LINE_STRUCT = (
    r"^type (\w{1,80})[^\n]{0,100}\bstruct ?\{ ?(?:[^\n}]{0,100}[ ;])?%s" + _TYPE_PARAMETERS + r"[ ;}]"
)
# "for _, lane := range r.lanes {"
_GO_RANGE_LOOP = re.compile(r"\bfor \w{1,60}, (\w{1,60}) :?= range ([\w.]{1,120}) \{")
# "lanes []Lane", "byName map[string]Lane", "lanes := []Lane{", "lanes = make([]Lane, n)"
_GO_CONTAINER_VARIABLE = r"\b(\w{1,60}) (?::?= (?:make\()?)?(?:\[\w{0,20}\]|map\[[^\]\n]{1,80}\])%s\b"
# "lane := Lane{", "var lane Lane", "lane := newLane("
_GO_VALUE_VARIABLE = r"\b(\w{1,60}) :?= %s" + _TYPE_PARAMETERS + r"\{|\bvar (\w{1,60}) %s" + _TYPE_PARAMETERS + r"\s"
_GO_CONSTRUCTOR = r"^func (\w{1,80})\([^\n]{0,%d}?\) %s" + _TYPE_PARAMETERS + r" \{"
# "lane := newLane("
_GO_CONSTRUCTED = r"\b(\w{1,60}) :?= %s\("
# "handler{c: c}", "out = lane", "serve(lane, 2)", "ch <- lane"; not "&lane", not "lane.n"
_GO_WHOLE_VALUE = r"(?:[:=({,]|<-) ?%s(?:[,)}\n])"


def find_go_copy(text: str, type_name: str) -> int | None:
    """The line (from 1) that copies a value of the type, or of a struct that contains it."""
    if len(text) > _MAX_GO_FILE:
        return None
    for name in [type_name, *_go_structs_containing(text, type_name)]:
        word = re.escape(name)
        patterns = [
            _GO_PASSED_BY_VALUE % (_MAX_GO_SIGNATURE, word),
            _GO_RETURNED_BY_VALUE % (_MAX_GO_SIGNATURE, word),
            _GO_CONTAINER_ELEMENT % (word, word),
        ]
        for pattern in (*patterns, _GO_VALUE_RECEIVER % word):
            if match := re.search(pattern, text, re.MULTILINE):
                return text.count("\n", 0, match.start()) + 1
        for find_copy in (_find_go_dereference, _find_go_loop_copy, _find_go_value_use):
            if (offset := find_copy(text, word)) is not None:
                return text.count("\n", 0, offset) + 1
    return None


def _find_go_loop_copy(text: str, word: str) -> int | None:
    """The offset of a range loop that copies the elements into its variable."""
    containers = {match[1] for match in islice(re.finditer(_GO_CONTAINER_VARIABLE % word, text), _MAX_GO_FUNCTIONS)}
    for match in islice(_GO_RANGE_LOOP.finditer(text), _MAX_GO_FUNCTIONS) if containers else ():
        if match[1] != "_" and match[2].rpartition(".")[2] in containers:
            return match.start()
    return None


def _find_go_value_use(text: str, word: str) -> int | None:
    """The offset at which a variable of the type is passed or stored by value."""
    variables = list(islice(re.finditer(_GO_VALUE_VARIABLE % (word, word), text), _MAX_GO_FUNCTIONS))
    for maker in islice(re.finditer(_GO_CONSTRUCTOR % (_MAX_GO_SIGNATURE, word), text, re.MULTILINE), _MAX_GO_TYPES):
        variables += islice(re.finditer(_GO_CONSTRUCTED % re.escape(maker[1]), text), _MAX_GO_TYPES)
    for match in variables:
        name = re.escape(next(group for group in match.groups() if group))
        end = text.find("\n}", match.end(), match.end() + _MAX_GO_BODY)
        if use := re.compile(_GO_WHOLE_VALUE % name).search(text, match.end(), max(end, match.end())):
            return use.start()
    return None


def _find_go_dereference(text: str, word: str) -> int | None:
    """The offset at which a function copies the target of a pointer parameter."""
    for match in islice(
        re.finditer(_GO_POINTER_PARAMETER % (_MAX_GO_SIGNATURE, word), text, re.MULTILINE), _MAX_GO_FUNCTIONS
    ):
        end = text.find("\n}", match.end(), match.end() + _MAX_GO_BODY)
        # "next := *r", "&Guard{key: *key}", "keep(*key)"
        copy = re.compile(rf"[=:(,] ?\*{re.escape(match[1])}(?:[,)}}]|$)", re.MULTILINE)
        if dereference := copy.search(text, match.end(), max(end, match.end())):
            return dereference.start()
    return None


def _go_structs_containing(text: str, type_name: str) -> list[str]:
    """The structs that contain the type by value."""
    in_line = re.finditer(_GO_ONE_LINE_STRUCT % re.escape(type_name), text, re.MULTILINE)
    structs = [match[1] for match in islice(in_line, _MAX_GO_TYPES)]
    rows = re.finditer(_GO_STRUCT_FIELD % re.escape(type_name), text, re.MULTILINE)
    for row in islice(rows, _MAX_GO_TYPES):
        offset = text.rfind("\ntype ", max(0, row.start() - _MAX_GO_BODY), row.start()) + 1
        struct = _GO_STRUCT.match(text, offset) if offset else None
        # a brace in the first column ends the struct above
        if struct and "\n}" not in text[struct.end() : row.start()]:
            structs.append(struct[1])
    return structs[:_MAX_GO_TYPES]


_MAX_C_FILE = 1 << 19  # longer files are generated
_MAX_C_MATCHES, _MAX_C_BODY, _MAX_C_TYPES = 60, 10_000, 8
_C_FILE_SCOPE_PREFIXES = ("", "static", "struct", "static struct", "extern struct", "inline", "static inline")
# "struct till mine = *(struct till *)arg;", "Till mine = *t;"
_C_COPY_FROM_POINTER = r"\b%s \w{1,60} ?= ?\*"
# "Till(const Till& o) : s_(o.s_) {}"; not "= delete"
_CPP_COPY_CONSTRUCTOR = r"\b%s\(const %s ?& ?\w{0,60}\)(?! ?= ?delete)[^;]{0,200}[{;]"
# "void serve(Handle h)", "static void *run(struct till t, int n) {"
_C_PASSED_BY_VALUE = r"^[\w ][^\n;=.]{0,200}[(,] ?(?:const )?(?:struct )?%s \w{1,60} ?[,)]"
# "for (Lane lane : lanes)"
_CPP_LOOP_COPY = r"\bfor ?\((?:const )?%s \w{1,60} ?:"
# "memcpy(&mine, t, sizeof(struct till))"
_C_MEMORY_COPY = r"\bmem(?:cpy|move)\([^;\n]{0,200}\bsizeof ?\(?(?:struct )?%s\b"
# "struct store shop = {", "Till till;", "Till till(3);"
_C_OBJECT = r"\b%s (\w{1,60})(?: ?[={(;]|\[)"
# "{shop, 4000}", ".store = shop,", "serve(shop)", "[shop]"; not "&shop", "shop.n" or "shop ="
_C_WHOLE_OBJECT = r"(?:[=({,\[]) ?%s ?[,)};\]]"
# "struct counter {", "class Desk : public Base {"
_C_TYPE = re.compile(r"\b(?:struct|class) (\w{1,80})[^\n;(){}]{0,120}\{")
# "	struct store store;", "  Till till_;": a member of the type
_C_MEMBER = r"^[ \t]{1,20}(?:struct )?%s \w{1,60}(?:\[\w{0,40}\])?;"


def find_c_copy(text: str, type_name: str) -> int | None:
    """The line (from 1) that copies an object of the type, or of a type that contains it."""
    if len(text) > _MAX_C_FILE:
        return None
    for name in [type_name, *_c_types_containing(text, type_name)]:
        word = re.escape(name)
        patterns = (_C_COPY_FROM_POINTER, _C_PASSED_BY_VALUE, _CPP_LOOP_COPY, _C_MEMORY_COPY)
        for pattern in (*(pattern % word for pattern in patterns), _CPP_COPY_CONSTRUCTOR % (word, word)):
            if match := re.search(pattern, text, re.MULTILINE):
                return text.count("\n", 0, match.start()) + 1
        if (offset := _find_c_object_use(text, word)) is not None:
            return text.count("\n", 0, offset) + 1
    return None


def _c_types_containing(text: str, type_name: str) -> list[str]:
    """The types that contain the type as a member."""
    types = []
    rows = re.finditer(_C_MEMBER % re.escape(type_name), text, re.MULTILINE)
    for row in islice(rows, _MAX_C_MATCHES):
        last = None
        for header in islice(_C_TYPE.finditer(text, max(0, row.start() - _MAX_C_BODY), row.start()), _MAX_C_MATCHES):
            last = header
        if last and "\n}" not in text[last.end() : row.start()]:
            types.append(last[1])
    return types[:_MAX_C_TYPES]


def _find_c_object_use(text: str, word: str) -> int | None:
    """The offset at which an object of the type is passed or stored by value."""
    for match in islice(re.finditer(_C_OBJECT % word, text), _MAX_C_MATCHES):
        end = text.find("\n}", match.end(), match.end() + _MAX_C_BODY)
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if not line[:1].isspace() and line.strip() in _C_FILE_SCOPE_PREFIXES:
            end = len(text)
        pattern = re.compile(_C_WHOLE_OBJECT % re.escape(match[1]))
        if use := pattern.search(text, match.end(), max(end, match.end())):
            return use.start()
    return None
