"""Demanglers for Itanium C++ symbols and for legacy and v0 Rust symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.text import lazy_compile

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

_ITANIUM_SYMBOL = lazy_compile(r"_{1,3}Z(?=[\dNLSZTG])")
_CLONE_SUFFIX = lazy_compile(r"(?:\.\w{1,40}){1,6}$")
# "A42_": an array, "T0_": a template parameter
_ARRAY_OR_PARAMETER = lazy_compile(r"(?:A\d{0,9}|T\d{0,4})_")
_DECIMAL = lazy_compile(r"\d{1,4}")
_SUBSTITUTION = lazy_compile(r"S(?:[0-9A-Z]{0,6}_|[a-z])")
_STANDARD_SUBSTITUTIONS = {
    "t": "std", "a": "std::allocator", "b": "std::basic_string", "s": "std::basic_string",
    "i": "std::basic_istream", "o": "std::basic_ostream", "d": "std::basic_iostream",
}  # fmt: skip
_OPERATOR_CODES = {
    "nw": " new", "na": " new[]", "dl": " delete", "da": " delete[]", "aw": " co_await", "ps": "+",
    "ng": "-", "ad": "&", "de": "*", "co": "~", "pl": "+", "mi": "-", "ml": "*", "dv": "/",
    "rm": "%", "an": "&", "or": "|", "eo": "^", "aS": "=", "pL": "+=", "mI": "-=", "mL": "*=",
    "dV": "/=", "rM": "%=", "aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<", "rs": ">>",
    "lS": "<<=", "rS": ">>=", "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=",
    "ge": ">=", "ss": "<=>", "nt": "!", "aa": "&&", "oo": "||", "pp": "++", "mm": "--",
    "cm": ",", "pm": "->*", "pt": "->", "cl": "()", "ix": "[]",
}  # fmt: skip
# target types of conversions: "cvb" is "operator bool"
_BUILTIN_TYPES = {
    "b": "bool", "c": "char", "h": "unsigned char", "s": "short", "i": "int", "j": "unsigned int",
    "l": "long", "m": "unsigned long", "x": "long long", "f": "float", "d": "double",
}  # fmt: skip
# codes that are closed by an E
_OPENING_CODES = frozenset("NIXFJZ")
# "TV4Cart" is a vtable, "Th16_N4shop4Cart3addEi" a thunk to another entry point of a function
_THUNK = lazy_compile(r"T(?:h\w?n?\d{1,6}_|v\w?n?\d{1,6}_n?\d{1,6}_|c)")
_MAX_NAMES = 64


def demangle_cpp(symbol: str) -> str:
    """`shop::Cart::add` for `_ZN4shop4Cart3addEi`; the symbol itself if it is not mangled."""
    match = _ITANIUM_SYMBOL.match(symbol)
    if match is None:
        return symbol
    body = _CLONE_SUFFIX.sub("", symbol[match.end() :])
    try:
        return _ItaniumName(body).parse_name() or symbol
    except (ValueError, IndexError):
        return symbol


class _ItaniumName:
    """Parses a name and skips its types. Raises ValueError or IndexError if it is invalid."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0

    def parse_name(self, depth: int = 0) -> str:
        if depth > 8:
            raise ValueError
        if match := _THUNK.match(self._text, self._position):
            self._position = match.end()
        if self._consume_text("N"):
            return self._parse_nested_name()
        if self._consume_text("Z"):
            return self._parse_local_name(depth)
        if self._consume_text("S"):
            self._position -= 1
            return "::".join([self._parse_substitution(), self._parse_name_part([])])
        return self._parse_name_part([])

    def _consume_text(self, text: str) -> bool:
        found = self._text.startswith(text, self._position)
        self._position += len(text) * found
        return found

    def _parse_nested_name(self) -> str:
        while self._text[self._position] in "rVKROH":
            self._position += 1
        names: list[str] = []
        while not self._consume_text("E"):
            if len(names) > _MAX_NAMES:
                raise ValueError
            if self._consume_text("I"):
                self._skip_to_end()
            elif self._text[self._position] == "S":
                names.append(self._parse_substitution())
            else:
                names.append(self._parse_name_part(names))
        return "::".join(names)

    def _parse_local_name(self, depth: int) -> str:
        """`Z<function>E<name>`: an entity in a function."""
        outer = self.parse_name(depth + 1)
        self._skip_to_end()
        if self._position >= len(self._text) or self._consume_text("s"):
            return outer
        return f"{outer}::{self.parse_name(depth + 1)}"

    def _parse_substitution(self) -> str:
        match = _SUBSTITUTION.match(self._text, self._position)
        if match is None:
            raise ValueError
        self._position = match.end()
        # other substitutions depend on all types before them
        return _STANDARD_SUBSTITUTIONS.get(match[0][1:], "_")

    def _parse_name_part(self, outer: list[str]) -> str:
        """One name: an identifier, a constructor, an operator, a lambda."""
        self._consume_text("L")  # a static function
        part = self._parse_unqualified_name(outer)
        while self._consume_text("B"):
            self._parse_identifier()  # "B5cxx11": an ABI tag
        return part

    def _parse_unqualified_name(self, outer: list[str]) -> str:
        text, at = self._text, self._position
        if text[at].isdigit():
            return self._parse_identifier()
        code = text[at : at + 2]
        if code in _OPERATOR_CODES:
            self._position += 2
            return f"operator{_OPERATOR_CODES[code]}"
        if code in ("Ul", "Ut"):
            return self._parse_unnamed_type(code)
        if code[0] in "CD" and code[1:].isdigit():
            self._position += 2
            last = outer[-1].rpartition("::")[2] if outer else ""
            return f"~{last}" if code[0] == "D" else last
        if code == "cv":
            self._position += 2
            type_name = _BUILTIN_TYPES.get(text[at + 2])
            self._skip_element()
            return f"operator {type_name}" if type_name else "operator"
        raise ValueError

    def _parse_identifier(self) -> str:
        match = _DECIMAL.match(self._text, self._position)
        if match is None:
            raise ValueError
        end = match.end() + int(match[0])
        name = self._text[match.end() : end]
        if end > len(self._text) or not name:
            raise ValueError
        self._position = end
        return "(anonymous namespace)" if name.startswith("_GLOBAL__N") else name

    def _parse_unnamed_type(self, code: str) -> str:
        """`UliE0_` is the second lambda that takes an int, `Ut_` an unnamed class."""
        self._position += 2
        if code == "Ul":
            self._skip_to_end()
        number = ""
        while not self._consume_text("_"):
            number += self._text[self._position]
            self._position += 1
        count = int(number) + 2 if number else 1
        return f"{{lambda()#{count}}}" if code == "Ul" else f"{{unnamed type#{count}}}"

    def _skip_to_end(self) -> None:
        """Skip types up to the E that closes them."""
        open_ = 1
        while open_:
            open_ += self._skip_element()

    def _skip_element(self) -> int:
        """Skip one element; return 1 if it opens others, -1 if it closes them."""
        char = self._text[self._position]
        if char.isdigit():
            self._parse_identifier()
        elif char == "S":
            match = _SUBSTITUTION.match(self._text, self._position)
            self._position = match.end() if match else self._position + 1
        elif char == "L":
            self._skip_literal()
        elif match := _ARRAY_OR_PARAMETER.match(self._text, self._position):
            self._position = match.end()
        elif self._consume_text("Ul"):
            return 1
        else:
            self._position += 1
            return 1 if char in _OPENING_CODES else -(char == "E")
        return 0

    def _skip_literal(self) -> None:
        """`Li5E` is the number 5, not a name of five letters; `L_Z3addiE` names a function."""
        self._position += 1
        if self._consume_text("_Z"):
            self._skip_to_end()
            return
        if self._consume_text("N"):
            self._skip_to_end()
        elif self._text[self._position].isdigit():
            self._parse_identifier()
        self._position = self._text.index("E", self._position) + 1


# "_ZN4shop4cart8Cart$LT$T$GT$3add17hdc83a10c30269ab6E", also with suffixes of LLVM
_LEGACY_SYMBOL = lazy_compile(r"_{0,2}ZN((?:\d{1,4}[^\s]{1,2000})?)17h([0-9a-f]{16})E(?:\.[\w.]{1,80})?$")
# "shop::main::hdc83a10c30269ab6": a C++ demangler keeps the hash
_HASH_SUFFIX = lazy_compile(r"::h[0-9a-f]{16}$")
# "$LT$", "$u20$", "$u7b$"
_ESCAPE_CODE = lazy_compile(r"\$(SP|BP|RF|LT|GT|LP|RP|C|u[0-9a-f]{1,6})\$")
_ESCAPED_CHARACTERS = {
    "SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ",",
}  # fmt: skip
_LEADING_UNDERSCORE = lazy_compile(r"(^|::)_(?=[<{])")
# "_RNvNtCs1234_4shop4cart3add"
_V0_SYMBOL = lazy_compile(r"_{0,2}R(?=[A-Z])")
_BASE_62_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAME_LENGTH = lazy_compile(r"0|[1-9]\d{0,3}")
_MAX_STEPS = 2_000
_MAX_DEPTH = 60
_BASIC_TYPES = {
    "a": "i8", "b": "bool", "c": "char", "d": "f64", "e": "str", "f": "f32", "h": "u8",
    "i": "isize", "j": "usize", "l": "i32", "m": "u32", "n": "i128", "o": "u128", "p": "_",
    "s": "i16", "t": "u16", "u": "()", "v": "...", "x": "i64", "y": "u64", "z": "!",
}  # fmt: skip


def demangle_rust(symbol: str) -> str:
    """Demangle a symbol to a path, without hashes and generic arguments."""
    if match := _V0_SYMBOL.match(symbol):
        try:
            return _RustV0Symbol(symbol[match.end() :]).parse_path() or symbol
        except (ValueError, IndexError):
            return symbol
    if match := _LEGACY_SYMBOL.match(symbol):
        return _unescape_text("::".join(_split_names(match[1]))) or symbol
    if _HASH_SUFFIX.search(symbol):
        symbol = _HASH_SUFFIX.sub("", symbol)
        return _unescape_text(symbol) if "$" in symbol or ".." in symbol else symbol
    return _unescape_text(symbol) if "$LT$" in symbol or "$u7b$" in symbol else symbol


def _split_names(text: str) -> list[str]:
    """Split `4shop4cart` into its names."""
    names, at = [], 0
    while match := _NAME_LENGTH.match(text, at):
        end = match.end() + int(match[0])
        names.append(text[match.end() : end])
        at = end
    return names


def _unescape_text(text: str) -> str:
    unescaped = _ESCAPE_CODE.sub(_unescape_character, text.replace("..", "::"))
    # an underscore precedes names that do not start with a letter
    return _LEADING_UNDERSCORE.sub(r"\1", unescaped)


def _unescape_character(match: re.Match[str]) -> str:
    word = match[1]
    if word[0] != "u":
        return _ESCAPED_CHARACTERS[word]
    code = int(word[1:], 16)
    return chr(code) if code < 0x110000 else "?"


class _RustV0Symbol:
    """Parses a v0 symbol. Raises ValueError or IndexError if it is invalid."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._steps = 0
        self._depth = 0

    def _next_char(self) -> str:
        self._position += 1
        return self._text[self._position - 1]

    def _consume_char(self, char: str) -> bool:
        found = self._text[self._position : self._position + 1] == char
        self._position += found
        return found

    def _parse_number(self) -> int:
        """A base 62 number that ends with an underscore; only an underscore is 0."""
        value = 0
        if self._consume_char("_"):
            return 0
        while not self._consume_char("_"):
            value = value * 62 + _BASE_62_DIGITS.index(self._next_char())
        return value + 1

    def _count_step(self) -> None:
        self._steps += 1
        if self._steps > _MAX_STEPS or self._depth > _MAX_DEPTH:
            raise ValueError

    def _parse_identifier(self) -> tuple[str, int]:
        """An identifier and its disambiguator."""
        number = self._parse_number() + 1 if self._consume_char("s") else 0
        is_punycode = self._consume_char("u")
        length = _NAME_LENGTH.match(self._text, self._position)
        if length is None:
            raise ValueError
        self._position, size = length.end(), int(length[0])
        self._consume_char("_")
        name = self._text[self._position : self._position + size]
        if len(name) != size:
            raise ValueError
        self._position += size
        return (_decode_punycode(name) if is_punycode else name), number

    def _parse_backref(self) -> int:
        """The target of a back reference, which must be earlier in the symbol."""
        here = self._position - 1
        target = self._parse_number()
        if target >= here:
            raise ValueError
        return target

    def parse_path(self) -> str:
        self._count_step()
        self._depth += 1
        kind = self._next_char()
        if kind == "C":
            text = self._parse_identifier()[0]
        elif kind == "N":
            text = self._parse_nested_path()
        elif kind == "I":
            text = self.parse_path()
            while not self._consume_char("E"):
                self._skip_generic_argument()
        elif kind in "MXY":
            text = self._parse_impl_path(kind)
        elif kind == "B":
            text = self._parse_at_backref(self.parse_path)
        else:
            raise ValueError
        self._depth -= 1
        return text

    def _parse_nested_path(self) -> str:
        namespace_code = self._next_char()
        outer = self.parse_path()
        name, number = self._parse_identifier()
        if not namespace_code.isupper():
            return f"{outer}::{name}"
        namespace = {"C": "closure", "S": "shim"}.get(namespace_code, namespace_code)
        return f"{outer}::{{{namespace}{':' * bool(name)}{name}#{number}}}"

    def _parse_impl_path(self, kind: str) -> str:
        if kind != "Y":  # the path of the impl block
            if self._consume_char("s"):
                self._parse_number()
            self.parse_path()
        self_type = self.parse_type()
        return f"<{self_type}>" if kind == "M" else f"<{self_type} as {self.parse_path()}>"

    def _parse_at_backref(self, read: Callable[[], str]) -> str:
        target = self._parse_backref()
        here, self._position = self._position, target
        text = read()
        self._position = here
        return text

    def _skip_generic_argument(self) -> None:
        if self._consume_char("L"):
            self._parse_number()
        elif self._consume_char("K"):
            self._skip_constant()
        else:
            self.parse_type()

    def _skip_constant(self) -> None:
        if self._consume_char("p"):
            return
        if self._consume_char("B"):
            self._parse_backref()
            return
        self.parse_type()
        while not self._consume_char("_"):
            if self._next_char() not in "0123456789abcdefn":
                raise ValueError

    def parse_type(self) -> str:
        self._count_step()
        self._depth += 1
        char = self._next_char()
        if char in _BASIC_TYPES:
            text = _BASIC_TYPES[char]
        elif char in "AS":
            text = f"[{self.parse_type()}]"
            if char == "A":
                self._skip_constant()
        elif char in "RQ":
            if self._consume_char("L"):
                self._parse_number()
            text = ("&" if char == "R" else "&mut ") + self.parse_type()
        elif char in "PO":
            text = ("*const " if char == "P" else "*mut ") + self.parse_type()
        elif char == "T":
            text = f"({', '.join(self._parse_types())})"
        elif char == "F":
            text = self._parse_fn_type()
        elif char == "D":
            text = self._parse_dyn_type()
        elif char == "B":
            text = self._parse_at_backref(self.parse_type)
        else:
            self._position -= 1
            text = self.parse_path()
        self._depth -= 1
        return text

    def _parse_types(self) -> list[str]:
        types = []
        while not self._consume_char("E"):
            types.append(self.parse_type())
        return types

    def _parse_fn_type(self) -> str:
        if self._consume_char("G"):
            self._parse_number()
        self._consume_char("U")
        if self._consume_char("K") and not self._consume_char("C"):
            self._parse_identifier()
        parameters = ", ".join(self._parse_types())
        result = self.parse_type()
        return f"fn({parameters})" + ("" if result == "()" else f" -> {result}")

    def _parse_dyn_type(self) -> str:
        if self._consume_char("G"):
            self._parse_number()
        traits = []
        while not self._consume_char("E"):
            traits.append(self.parse_path())
            while self._consume_char("p"):
                self._parse_identifier()
                self.parse_type()
        if self._consume_char("L"):
            self._parse_number()
        return f"dyn {' + '.join(traits)}"


def _decode_punycode(name: str) -> str:
    ascii_part, _, extra = name.rpartition("_")
    try:
        return f"{ascii_part}-{extra}".encode().decode("punycode") if ascii_part else extra
    except (UnicodeError, OverflowError):
        return name
