"""Demangles Itanium C++ symbols to their nested names, without parameters."""

from __future__ import annotations

from deadheat.text.late import regex

_MANGLED = regex(r"_{1,3}Z(?=[\dNLSZTG])")
_CLONE = regex(r"(?:\.\w{1,40}){1,6}$")
# "A42_": an array, "T0_": a template parameter
_COUNTED = regex(r"(?:A\d{0,9}|T\d{0,4})_")
_NUMBER = regex(r"\d{1,4}")
_SUBSTITUTE = regex(r"S(?:[0-9A-Z]{0,6}_|[a-z])")
_STANDARD = {
    "t": "std", "a": "std::allocator", "b": "std::basic_string", "s": "std::basic_string",
    "i": "std::basic_istream", "o": "std::basic_ostream", "d": "std::basic_iostream",
}  # fmt: skip
_OPERATORS = {
    "nw": " new", "na": " new[]", "dl": " delete", "da": " delete[]", "aw": " co_await", "ps": "+",
    "ng": "-", "ad": "&", "de": "*", "co": "~", "pl": "+", "mi": "-", "ml": "*", "dv": "/",
    "rm": "%", "an": "&", "or": "|", "eo": "^", "aS": "=", "pL": "+=", "mI": "-=", "mL": "*=",
    "dV": "/=", "rM": "%=", "aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<", "rs": ">>",
    "lS": "<<=", "rS": ">>=", "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=",
    "ge": ">=", "ss": "<=>", "nt": "!", "aa": "&&", "oo": "||", "pp": "++", "mm": "--",
    "cm": ",", "pm": "->*", "pt": "->", "cl": "()", "ix": "[]",
}  # fmt: skip
# target types of conversions: "cvb" is "operator bool"
_BUILT_IN = {
    "b": "bool", "c": "char", "h": "unsigned char", "s": "short", "i": "int", "j": "unsigned int",
    "l": "long", "m": "unsigned long", "x": "long long", "f": "float", "d": "double",
}  # fmt: skip
# codes that are closed by an E
_OPENERS = frozenset("NIXFJZ")
# "TV4Cart" is a vtable, "Th16_N4shop4Cart3addEi" a thunk to another entry point of a function
_THUNK = regex(r"T(?:h\w?n?\d{1,6}_|v\w?n?\d{1,6}_n?\d{1,6}_|c)")
_MOST_NAMES = 64


def demangled(symbol: str) -> str:
    """`shop::Cart::add` for `_ZN4shop4Cart3addEi`; the symbol itself if it is not mangled."""
    match = _MANGLED.match(symbol)
    if match is None:
        return symbol
    body = _CLONE.sub("", symbol[match.end() :])
    try:
        return _Name(body).read() or symbol
    except (ValueError, IndexError):
        return symbol


class _Name:
    """Parses a name and skips its types. Raises ValueError or IndexError if it is invalid."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def read(self, depth: int = 0) -> str:
        if depth > 8:
            raise ValueError
        if match := _THUNK.match(self._text, self._at):
            self._at = match.end()
        if self._took("N"):
            return self._nested()
        if self._took("Z"):
            return self._local(depth)
        if self._took("S"):
            self._at -= 1
            return "::".join([self._substitute(), self._part([])])
        return self._part([])

    def _took(self, text: str) -> bool:
        found = self._text.startswith(text, self._at)
        self._at += len(text) * found
        return found

    def _nested(self) -> str:
        while self._text[self._at] in "rVKROH":
            self._at += 1
        names: list[str] = []
        while not self._took("E"):
            if len(names) > _MOST_NAMES:
                raise ValueError
            if self._took("I"):
                self._skip_to_end()
            elif self._text[self._at] == "S":
                names.append(self._substitute())
            else:
                names.append(self._part(names))
        return "::".join(names)

    def _local(self, depth: int) -> str:
        """`Z<function>E<name>`: an entity in a function."""
        outer = self.read(depth + 1)
        self._skip_to_end()
        if self._at >= len(self._text) or self._took("s"):
            return outer
        return f"{outer}::{self.read(depth + 1)}"

    def _substitute(self) -> str:
        match = _SUBSTITUTE.match(self._text, self._at)
        if match is None:
            raise ValueError
        self._at = match.end()
        # other substitutions depend on all types before them
        return _STANDARD.get(match[0][1:], "_")

    def _part(self, outer: list[str]) -> str:
        """One name: an identifier, a constructor, an operator, a lambda."""
        self._took("L")  # a static function
        part = self._plain(outer)
        while self._took("B"):
            self._identifier()  # "B5cxx11": an ABI tag
        return part

    def _plain(self, outer: list[str]) -> str:
        text, at = self._text, self._at
        if text[at].isdigit():
            return self._identifier()
        two = text[at : at + 2]
        if two in _OPERATORS:
            self._at += 2
            return f"operator{_OPERATORS[two]}"
        if two in ("Ul", "Ut"):
            return self._nameless(two)
        if two[0] in "CD" and two[1:].isdigit():
            self._at += 2
            last = outer[-1].rpartition("::")[2] if outer else ""
            return f"~{last}" if two[0] == "D" else last
        if two == "cv":
            self._at += 2
            into = _BUILT_IN.get(text[at + 2])
            self._skip()
            return f"operator {into}" if into else "operator"
        raise ValueError

    def _identifier(self) -> str:
        match = _NUMBER.match(self._text, self._at)
        if match is None:
            raise ValueError
        end = match.end() + int(match[0])
        name = self._text[match.end() : end]
        if end > len(self._text) or not name:
            raise ValueError
        self._at = end
        return "(anonymous namespace)" if name.startswith("_GLOBAL__N") else name

    def _nameless(self, two: str) -> str:
        """`UliE0_` is the second lambda that takes an int, `Ut_` an unnamed class."""
        self._at += 2
        if two == "Ul":
            self._skip_to_end()
        number = ""
        while not self._took("_"):
            number += self._text[self._at]
            self._at += 1
        count = int(number) + 2 if number else 1
        return f"{{lambda()#{count}}}" if two == "Ul" else f"{{unnamed type#{count}}}"

    def _skip_to_end(self) -> None:
        """Skip types up to the E that closes them."""
        open_ = 1
        while open_:
            open_ += self._skip()

    def _skip(self) -> int:
        """Skip one element; return 1 if it opens others, -1 if it closes them."""
        char = self._text[self._at]
        if char.isdigit():
            self._identifier()
        elif char == "S":
            match = _SUBSTITUTE.match(self._text, self._at)
            self._at = match.end() if match else self._at + 1
        elif char == "L":
            self._literal()
        elif match := _COUNTED.match(self._text, self._at):
            self._at = match.end()
        elif self._took("Ul"):
            return 1
        else:
            self._at += 1
            return 1 if char in _OPENERS else -(char == "E")
        return 0

    def _literal(self) -> None:
        """`Li5E` is the number 5, not a name of five letters; `L_Z3addiE` names a function."""
        self._at += 1
        if self._took("_Z"):
            self._skip_to_end()
            return
        if self._took("N"):
            self._skip_to_end()
        elif self._text[self._at].isdigit():
            self._identifier()
        self._at = self._text.index("E", self._at) + 1
