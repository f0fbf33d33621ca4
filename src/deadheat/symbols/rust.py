"""Demangles Rust symbols: legacy and v0 mangling, hashes, escapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.text.late import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

# "_ZN4shop4cart8Cart$LT$T$GT$3add17hdc83a10c30269ab6E", also with suffixes of LLVM
_LEGACY = regex(r"_{0,2}ZN((?:\d{1,4}[^\s]{1,2000})?)17h([0-9a-f]{16})E(?:\.[\w.]{1,80})?$")
# "shop::main::hdc83a10c30269ab6": a C++ demangler keeps the hash
_HASH = regex(r"::h[0-9a-f]{16}$")
# "$LT$", "$u20$", "$u7b$"
_ESCAPE = regex(r"\$(SP|BP|RF|LT|GT|LP|RP|C|u[0-9a-f]{1,6})\$")
_ESCAPED = {
    "SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ",",
}  # fmt: skip
_UNDERSCORE = regex(r"(^|::)_(?=[<{])")
# "_RNvNtCs1234_4shop4cart3add"
_V0 = regex(r"_{0,2}R(?=[A-Z])")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LENGTH = regex(r"0|[1-9]\d{0,3}")
_MOST_STEPS = 2_000
_DEEPEST = 60
_BASIC = {
    "a": "i8", "b": "bool", "c": "char", "d": "f64", "e": "str", "f": "f32", "h": "u8",
    "i": "isize", "j": "usize", "l": "i32", "m": "u32", "n": "i128", "o": "u128", "p": "_",
    "s": "i16", "t": "u16", "u": "()", "v": "...", "x": "i64", "y": "u64", "z": "!",
}  # fmt: skip


def demangled(symbol: str) -> str:
    """Demangle a symbol to a path, without hashes and generic arguments."""
    if match := _V0.match(symbol):
        try:
            return _Path(symbol[match.end() :]).path()
        except (ValueError, IndexError):
            return symbol
    if match := _LEGACY.match(symbol):
        return _unescaped("::".join(_names(match[1])))
    if _HASH.search(symbol):
        symbol = _HASH.sub("", symbol)
        return _unescaped(symbol) if "$" in symbol or ".." in symbol else symbol
    return _unescaped(symbol) if "$LT$" in symbol or "$u7b$" in symbol else symbol


def _names(text: str) -> list[str]:
    """Split `4shop4cart` into its names."""
    names, at = [], 0
    while match := _LENGTH.match(text, at):
        end = match.end() + int(match[0])
        names.append(text[match.end() : end])
        at = end
    return names


def _unescaped(text: str) -> str:
    plain = _ESCAPE.sub(_character, text.replace("..", "::"))
    # an underscore precedes names that do not start with a letter
    return _UNDERSCORE.sub(r"\1", plain)


def _character(match: re.Match[str]) -> str:
    word = match[1]
    if word[0] != "u":
        return _ESCAPED[word]
    code = int(word[1:], 16)
    return chr(code) if code < 0x110000 else "?"


class _Path:
    """Parses a v0 symbol. Raises ValueError or IndexError if it is invalid."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._steps = 0
        self._depth = 0

    def _next(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _took(self, char: str) -> bool:
        found = self._text[self._at : self._at + 1] == char
        self._at += found
        return found

    def _number(self) -> int:
        """A base 62 number that ends with an underscore; only an underscore is 0."""
        value = 0
        if self._took("_"):
            return 0
        while not self._took("_"):
            value = value * 62 + _DIGITS.index(self._next())
        return value + 1

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS or self._depth > _DEEPEST:
            raise ValueError

    def _name(self) -> tuple[str, int]:
        """An identifier and its disambiguator."""
        number = self._number() + 1 if self._took("s") else 0
        puny = self._took("u")
        length = _LENGTH.match(self._text, self._at)
        if length is None:
            raise ValueError
        self._at, size = length.end(), int(length[0])
        self._took("_")
        name = self._text[self._at : self._at + size]
        if len(name) != size:
            raise ValueError
        self._at += size
        return (_from_punycode(name) if puny else name), number

    def _back(self) -> int:
        """The target of a back reference, which must be earlier in the symbol."""
        here = self._at - 1
        target = self._number()
        if target >= here:
            raise ValueError
        return target

    def path(self) -> str:
        self._step()
        self._depth += 1
        kind = self._next()
        if kind == "C":
            text = self._name()[0]
        elif kind == "N":
            text = self._nested()
        elif kind == "I":
            text = self.path()
            while not self._took("E"):
                self._argument()
        elif kind in "MXY":
            text = self._implementation(kind)
        elif kind == "B":
            text = self._again(self.path)
        else:
            raise ValueError
        self._depth -= 1
        return text

    def _nested(self) -> str:
        space = self._next()
        outer = self.path()
        name, number = self._name()
        if not space.isupper():
            return f"{outer}::{name}"
        what = {"C": "closure", "S": "shim"}.get(space, space)
        return f"{outer}::{{{what}{':' * bool(name)}{name}#{number}}}"

    def _implementation(self, kind: str) -> str:
        if kind != "Y":  # the path of the impl block
            if self._took("s"):
                self._number()
            self.path()
        whose = self.type()
        return f"<{whose}>" if kind == "M" else f"<{whose} as {self.path()}>"

    def _again(self, read: Callable[[], str]) -> str:
        target = self._back()
        here, self._at = self._at, target
        text = read()
        self._at = here
        return text

    def _argument(self) -> None:
        if self._took("L"):
            self._number()
        elif self._took("K"):
            self._constant()
        else:
            self.type()

    def _constant(self) -> None:
        if self._took("p"):
            return
        if self._took("B"):
            self._back()
            return
        self.type()
        while not self._took("_"):
            if self._next() not in "0123456789abcdefn":
                raise ValueError

    def type(self) -> str:
        self._step()
        self._depth += 1
        char = self._next()
        if char in _BASIC:
            text = _BASIC[char]
        elif char in "AS":
            text = f"[{self.type()}]"
            if char == "A":
                self._constant()
        elif char in "RQ":
            if self._took("L"):
                self._number()
            text = ("&" if char == "R" else "&mut ") + self.type()
        elif char in "PO":
            text = ("*const " if char == "P" else "*mut ") + self.type()
        elif char == "T":
            text = f"({', '.join(self._types())})"
        elif char == "F":
            text = self._function()
        elif char == "D":
            text = self._dynamic()
        elif char == "B":
            text = self._again(self.type)
        else:
            self._at -= 1
            text = self.path()
        self._depth -= 1
        return text

    def _types(self) -> list[str]:
        types = []
        while not self._took("E"):
            types.append(self.type())
        return types

    def _function(self) -> str:
        if self._took("G"):
            self._number()
        self._took("U")
        if self._took("K") and not self._took("C"):
            self._name()
        taken = ", ".join(self._types())
        given = self.type()
        return f"fn({taken})" + ("" if given == "()" else f" -> {given}")

    def _dynamic(self) -> str:
        if self._took("G"):
            self._number()
        traits = []
        while not self._took("E"):
            traits.append(self.path())
            while self._took("p"):
                self._name()
                self.type()
        if self._took("L"):
            self._number()
        return f"dyn {' + '.join(traits)}"


def _from_punycode(name: str) -> str:
    plain, _, extra = name.rpartition("_")
    try:
        return f"{plain}-{extra}".encode().decode("punycode") if plain else extra
    except (UnicodeError, OverflowError):
        return name
