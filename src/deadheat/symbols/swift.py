"""Swift symbols without closures, thunks and attributes."""

from __future__ import annotations

from deadheat.text.late import regex

# "$s4Shop4CartC3addyySiF", on a Mac "_$s…"; "$S" up to Swift 4
_MANGLED = regex(r"_?\$[sS](?=\d)")
_NUMBER = regex(r"\d{1,4}")
# after a name: class, structure, enumeration, protocol, alias, end of an extension
_KINDS = "CVOPaE"
# "closure #1 in ", "closure #2 (Swift.Int) -> () in ", "partial apply for ", "static "
_AROUND = regex(
    r"(?:(?:implicit )?closure #\d{1,6} (?:.{0,400}?\) -> .{1,200}? )?in "
    r"|\(\d{1,4}\) (?:await|suspend) resume partial function for "
    r"|partial apply (?:forwarder )?for |protocol witness for |reabstraction thunk helper for "
    r"|default argument \d{1,4} of |variable initialization expression of "
    r"|(?:generic|function signature) specialization .{0,300}? of "
    r"|static |class |merged |specialized |dispatch thunk of |outlined copy of |@objc |@nonobjc )"
)
_MOST_LAYERS = 12


def demangled(symbol: str) -> str:
    """Demangle the leading names: `$s4Shop4CartC3addyySiF` is `Shop.Cart.add`."""
    match = _MANGLED.match(symbol)
    if match is None:
        return symbol
    names, at = [], match.end()
    while (number := _NUMBER.match(symbol, at)) and number[0][0] != "0":
        end = number.end() + int(number[0])
        if end > len(symbol):
            return symbol
        names.append(symbol[number.end() : end])
        at = end + (symbol[end : end + 1] in _KINDS and symbol[end : end + 1] != "")
    return ".".join(names) if names else symbol


def is_swift(function: str) -> bool:
    """Is this a demangled Swift name? `Cart.add(_:)`, `closure #1 in main()`."""
    if "::" in function or function[:1] == "<":
        return False
    return _AROUND.match(function) is not None or "." in function.partition("(")[0]


def parent(function: str) -> str:
    """The function that contains a closure or thunk, without labels and type."""
    for _ in range(_MOST_LAYERS):
        match = _AROUND.match(function)
        if match is None:
            break
        function = function[match.end() :]
    return function.partition("(")[0].partition(" in conformance ")[0].partition(" -> ")[0].strip()
