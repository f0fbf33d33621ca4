"""Reduces demangled C++ and Rust names to the function as written in the source."""

from __future__ import annotations

import re

from deadheat.text.late import regex

# operators with brackets; replaced by a placeholder while brackets are removed
_OPERATORS = (
    "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">",
    " new[]", " delete[]",
)  # fmt: skip
_OPERATOR = regex(r"\boperator(?:" + "|".join(map(re.escape, _OPERATORS)) + ")")
_HIDDEN = {text: chr(0xE000 + i) for i, text in enumerate(("(anonymous namespace)", *_OPERATORS))}
_SHOWN = {ord(char): text for text, char in _HIDDEN.items()}
_ARROW = "\ue0ff"
_CLOSERS = {")": "(", ">": "<", "]": "["}
# "foo.isra.0", "foo.constprop.0.cold", "main._omp_fn.0", "f(int) [clone .part.0]", "f(int) (.cold)"
_CLONE = regex(
    r"(?: ?[(\[]?(?:clone )?\.(?:isra|constprop|part|cold|llvm|lto_priv|localalias|_omp_fn"
    r"|omp_outlined(?:_debug__)?|actor|destroy|resume|cleanup|warm|unlikely)(?:[.$]\d{1,20}){0,3}"
    r"[)\]]?|@{1,2}[A-Z][\w.]{1,40}){1,6}$"
)
# after the parameters
_QUALIFIERS = regex(r"(?: const| volatile| &&?| noexcept)+$")
# closures and similar code in the part of the name before them; without brackets:
# "{lambda#1}", "$_0", "'lambda0'", "{closure#0}", "{{closure}}", "{async_fn#0}", "{shim:vtable#0}"
_INSIDE = regex(r"\{.*\}$|\$_\d{0,6}$|'(?:lambda|unnamed|block-literal)\d{0,6}'|_FUN$|<lambda")
# version namespaces of libc++ and libstdc++
_VERSION = regex(r"\bstd::(?:__1|__cxx11|__ndk1|__debug|_V2)::")
# "__20-[Cart add:]_block_invoke_2", "__main_block_invoke"
_BLOCK = regex(r"_{1,3}(?:\d{1,4}(?=[-+]\[))?(.{1,400}?)_block_invoke(?:_\d{1,6})?$")


def without_clones(function: str) -> str:
    """The name without the suffixes of functions that the optimizer cloned."""
    return _CLONE.sub("", function) if function[-1:] in "0123456789)]d_pstery" else function


def parent(name: str) -> str:
    """`shop::Cart::add` for `void shop::Cart::add<int>(int) const::{lambda()#1}::operator()()`."""
    if block := _BLOCK.match(name):
        name = block[1]
    if name[:2] in ("-[", "+["):
        return name  # Objective-C
    if name in ("<null>", "<unknown>"):
        return name
    hidden = _OPERATOR.sub(
        _hide, name.replace("(anonymous namespace)", _HIDDEN["(anonymous namespace)"])
    )
    hidden = hidden.replace("->", _ARROW)
    if hidden[:1] == "<":
        hidden = _without_cast(hidden)
    plain = _QUALIFIERS.sub("", _without_brackets(hidden).strip())
    parts = [part for part in _unspaced(plain).split("::") if part]
    inside = next((i for i, part in enumerate(parts) if _INSIDE.match(part)), len(parts))
    written = "::".join(parts[:inside]) or ("{lambda}" if parts else "")
    return _VERSION.sub("std::", written.translate(_SHOWN).replace(_ARROW, "->"))


def _hide(match: re.Match[str]) -> str:
    return "operator" + _HIDDEN[match[0].removeprefix("operator")]


def _without_cast(name: str) -> str:
    """Rust's `<shop::Cart<T> as shop::Bill>::total` becomes `shop::Cart<T>::total`."""
    end = _closing(name, 0)
    inner = name[1:end]
    depth = 0
    for at, char in enumerate(inner):
        depth += (char in "<(") - (char in ">)")
        if not depth and inner.startswith(" as ", at):
            inner = inner[:at]
            break
    if inner.startswith(("lambda", "fn(")):
        inner = "{lambda}" if inner[0] == "l" else "fn"
    return inner.lstrip("&*").removeprefix("mut ") + name[end + 1 :]


def _closing(name: str, at: int) -> int:
    """The index where the bracket at `at` closes."""
    depth = 0
    for i in range(at, len(name)):
        depth += (name[i] == "<") - (name[i] == ">")
        if not depth:
            return i
    return len(name)


def _without_brackets(name: str) -> str:
    """The name without parameters, template arguments and ABI tags."""
    out: list[str] = []
    open_: list[str] = []
    for char in name:
        if char in "(<[":
            open_.append(char)
        elif char in ")>]":
            _close(open_, _CLOSERS[char])
        elif not open_:
            out.append(char)
    return "".join(out)


def _close(open_: list[str], opener: str) -> None:
    """Close a bracket. `>` in parentheses is an operator; `)` also closes brackets opened after it."""
    if opener == "<":
        if open_ and open_[-1] == "<":
            open_.pop()
        return
    while open_ and open_.pop() != opener:
        pass


def _unspaced(plain: str) -> str:
    """The name without its return type: `void shop::apply`, but not `operator unsigned long`."""
    at = plain.find("operator")
    if at >= 0 and (at == 0 or plain[at - 1] in ": ") and not plain[at + 8 : at + 9].isalnum():
        return plain[:at].rpartition(" ")[2] + plain[at:]
    brace = plain.find("{")
    head = plain[:brace] if brace >= 0 else plain
    return head.rpartition(" ")[2] + plain[len(head) :]
