"""Lines for a terminal: never wider than it, complete, and commands that can be pasted."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deadheat.output import layout
from deadheat.symbols.display import display_function, shorten_function
from tests.test_symbols_native import PARENTS

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=300)
WIDTHS = st.integers(layout.MIN_WIDTH, 200)

SHOWN = {
    # Go and C as printed
    "executor.(*IndexNestedLoopHashJoin).finishJoinWorkers": "executor.(*IndexNestedLoopHashJoin).finishJoinWorkers",
    "main.main.func1": "main.main.func1",
    "cart_add": "cart_add",
    # C++: parameters and template arguments are left out
    "Cache::get(std::__cxx11::basic_string<char> const&)": "Cache::get(…)",
    "int Cache::get<int, std::less<int> >(int, char const*) const": "Cache::get(…)",
    "Cache::size() const": "Cache::size()",
    "shop::Money::operator bool() const": "shop::Money::operator bool()",
    "shop::operator<<(std::ostream&, shop::Cart const&)": "shop::operator<<(…)",
    "shop::fill(int) [clone .part.0]": "shop::fill(…)",
    "operator()": "operator()",  # of a lambda, by gcc
    # code inside a function is named by that function
    "main::{lambda()#1}::operator()() const": "lambda in main",
    "shop::run(int)::$_0::operator()(int) const": "lambda in shop::run",
    "auto main::{lambda(auto:1)#1}::operator()<int>(int) const": "lambda in main",
    # Rust and Swift
    "shop::main::{{closure}}": "closure in shop::main",
    "<shop::cart::Cart<T> as shop::cart::Bill>::bill": "shop::cart::Cart::bill",
    "closure #1 in Cart.add(_:)": "closure in Cart.add",
}


@pytest.mark.parametrize(("symbol", "shown"), SHOWN.items(), ids=SHOWN)
def test_functions_are_shown_short(symbol: str, shown: str) -> None:
    assert display_function(symbol) == shown


@pytest.mark.parametrize("symbol", [*PARENTS, *SHOWN])
@pytest.mark.parametrize("width", [28, 44, 100])
def test_name_of_a_function_is_never_cut_away(symbol: str, width: int) -> None:
    shown = shorten_function(symbol, width)
    assert len(shown) <= width
    name = display_function(symbol).replace("::", ".").rpartition(".")[2]
    assert name in shown or len(name) > width


@given(TEXTS, WIDTHS, st.integers(0, 14))
def test_wrapped_lines_fit_and_have_every_word(text: str, width: int, indent: int) -> None:
    lines = layout.wrap_text(text, width, " " * indent, " " * indent)
    assert all(layout.cell_width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(TEXTS, WIDTHS)
def test_cut_and_broken_lines_fit(text: str, width: int) -> None:
    assert layout.cell_width(layout.cut_end(text, width)) <= width
    pieces = layout.break_line(text, width, "  ")
    assert all(layout.cell_width(piece) <= width for piece in pieces)
    assert "".join(piece[2:] for piece in pieces) == text


@settings(max_examples=60)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=150), min_size=1), WIDTHS)
def test_wrapped_command_has_the_same_words_in_a_shell(words: list[str], width: int) -> None:
    lines = layout.wrap_command(shlex.join(words), width, " " * 14)
    assert all(layout.cell_width(line) <= width for line in lines)
    script = "printf '%s\\0' " + "\n".join(lines).lstrip()
    done = subprocess.run(["sh", "-c", script], capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == words
