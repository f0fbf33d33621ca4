"""What a terminal would interpret or hide is escaped, and the values in JSON stay the same."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow.json import read_json

from deadheat.printable import format_json, quote_code, split_code, visible_text

SURROGATES = st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF, categories=["Cs"])
TEXT = st.text(
    st.characters(exclude_categories=["Cs"])
    | st.sampled_from("\x1b\x9b\x7f\u202e\u2028\u200b\ufeff\U000e0041\n\t\\é…"),
    max_size=30,
)
# control characters, bidirectional marks, separators, zero-width characters, a surrogate
UNPRINTABLE = [
    *(chr(code) for code in (*range(32), *range(0x7F, 0xA0))),
    *"\u061c\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060",
    *"\u2066\u2067\u2068\u2069\ufeff\U000e0001\udcff",
]


@pytest.mark.parametrize("character", UNPRINTABLE, ids=ascii)
def test_unprintable_characters_are_escaped(character: str) -> None:
    assert visible_text(f"a{character}b") == f"a{character.encode('unicode_escape').decode()}b"
    text = format_json({character: [character]})
    assert text.isprintable()
    expected = character if character != "\udcff" else r"\udcff"
    assert json.loads(text) == {expected: [expected]}


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("  ::error file=a::b", r"  \x3a:error file=a::b"),
        ("a\n::ADD-MASK::b", "a\n\\x3a:ADD-MASK::b"),
        ("a ##[group]b", r"a \x23#[group]b"),
        ("::std::move", "::std::move"),
        ("a::error::b", "a::error::b"),
        ("::errors::a", "::errors::a"),
    ],
)
def test_workflow_commands_are_escaped(text: str, visible: str) -> None:
    assert visible_text(text, "\n") == visible
    assert json.loads(format_json(text)) == text
    assert "##[" not in format_json(text)


@settings(deadline=None)
@given(TEXT)
def test_visible_text_is_printable_and_keeps_what_is(text: str) -> None:
    visible = visible_text(text)
    assert visible.isprintable()
    assert visible_text(visible) == visible
    assert [c for c in visible_text(text, "\n") if not c.isprintable()] == ["\n"] * text.count("\n")


@settings(deadline=None)
@given(st.recursive(TEXT | st.integers() | st.none(), lambda values: st.lists(values) | st.dictionaries(TEXT, values)))
def test_json_is_printable_and_its_values_are_unchanged(value: object) -> None:
    for indent in (None, 1):
        text = format_json(value, indent)
        assert text.replace("\n", "" if indent else "\n").isprintable()
        assert json.loads(text) == value
        assert json.loads(text.encode()) == value


@settings(deadline=None)
@given(st.text(SURROGATES | st.sampled_from("a\\é"), max_size=10))
def test_lone_surrogates_are_text_in_json_that_strict_parsers_accept(text: str) -> None:
    written = format_json(text)
    assert json.loads(written.encode()) == json.loads(format_json(json.loads(written)))
    assert not any("\ud800" <= character <= "\udfff" for character in json.loads(written))
    assert read_json(io.BytesIO(format_json({"a": text}).encode())).to_pylist() == [{"a": json.loads(written)}]


SENTENCES = st.text("` ab", max_size=12)


@settings(deadline=None)
@given(SENTENCES.filter(lambda text: "`" not in text), SENTENCES.filter(bool), SENTENCES.filter(lambda t: "`" not in t))
def test_code_in_a_sentence_is_found_again(before: str, code: str, after: str) -> None:
    parts = [(before, False), (code, True), (after, False)]
    assert split_code(before + quote_code(code) + after) == [part for part in parts if part[0]]


@settings(deadline=None)
@given(SENTENCES)
def test_sentence_loses_nothing_but_backticks_and_blanks(sentence: str) -> None:
    shown = "".join(text for text, _ in split_code(sentence))
    assert shown.translate({32: None, 96: None}) == sentence.translate({32: None, 96: None})
    assert "`" in sentence or shown == sentence
