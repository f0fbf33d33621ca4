"""Every command that is printed is, for a shell, exactly the words that were meant."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deadheat.diagnosis import verification_step
from deadheat.model import Access, Frame, Op, Origin, Report
from deadheat.output import OutputStyle
from deadheat.output.lake_race_text import LakeRaceText
from deadheat.printable import split_code
from deadheat.repo.reproduction import find_reproduction
from deadheat.shell import ShellSyntax, format_command, path_word
from deadheat.symbols.go import run_pattern

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.repo.reproduction import Reproduction

# what a shell interprets
SYNTAX = st.text("$(){}`'\"\\!*?[]~#&|;<>^=-%+@:,./ aéIFS\u4e2d", min_size=1, max_size=16)
NAMES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12) | SYNTAX
HOSTILE = (
    "p-$(touch${IFS}PWN)", "p`touch PWN`", "a'b", 'a"b', "a b", "-x", "--", "*", "~root", "a;touch PWN",
    "!!", "\\", "$'x'", "[link](x)", "a|touch PWN", "a&touch PWN", "a>PWN", "{a,b}", "a=b", "%0a", "#",
)  # fmt: skip
PROGRAMS = ("go", "bazel", "valgrind", "cargo", "git", "deadheat", "program")


def words_of(command: str, folder: Path, shell: str = "bash") -> list[list[str]]:
    """The words of each program that a shell starts for a command; the programs are replaced by functions."""
    functions = "".join(f'{name}() {{ printf "%s\\0" {name} "$@"; printf "\\n\\0"; }}\n' for name in PROGRAMS)
    done = subprocess.run(
        [shell, "-c", functions + command],
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    assert list(folder.iterdir()) == []
    calls: list[list[str]] = [[]]
    for word in done.stdout.decode().split("\0")[:-1]:
        if word == "\n":
            calls.append([])
        else:
            calls[-1].append(word)
    return calls[:-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sandbox")


@settings(deadline=None, max_examples=60)
@given(st.lists(NAMES | st.just(""), max_size=4))
def test_shell_reads_the_words_of_a_command(folder: Path, words: list[str]) -> None:
    command = format_command("program", *words)
    assert command is not None
    for shell in ("bash", "sh"):
        assert words_of(command, folder, shell) == [["program", *words]]


@pytest.mark.parametrize("character", "\n\t\0\x1b\x7f\x9b\u202e\u2028\u200b\udcff", ids=ascii)
def test_no_command_is_made_of_names_that_cannot_be_pasted(character: str) -> None:
    assert format_command("go", "run", f"./a{character}b") is None


def test_syntax_is_not_quoted_and_options_stay_readable() -> None:
    assert format_command("cargo", ShellSyntax('"$(rustc -vV)"'), "--bin=a b") == "cargo \"$(rustc -vV)\" --bin='a b'"


def test_path_is_not_an_option() -> None:
    assert [path_word(path) for path in ("-x", "--", "a/-x", "/-x")] == ["./-x", "./--", "a/-x", "/-x"]


def split_run_pattern(pattern: str) -> list[str]:
    """The elements of a `-run` pattern, as Go's `testing` splits them."""
    elements, element, brackets, parentheses = [], "", 0, 0
    characters = iter(pattern)
    for character in characters:
        if character == "/" and not brackets and not parentheses:
            elements.append(element)
            element = ""
            continue
        assert character != "|" or brackets or parentheses
        brackets = max(0, brackets + (character == "[") - (character == "]"))
        parentheses += 0 if brackets else (character == "(") - (character == ")")
        element += character + (next(characters, "") if character == "\\" else "")
    return [*elements, element]


@settings(deadline=None, max_examples=100)
@given(st.lists(NAMES.filter(lambda name: "/" not in name), min_size=1, max_size=4), NAMES)
def test_run_pattern_matches_one_test(names: list[str], other: str) -> None:
    names = [name.replace(" ", "_") for name in names]  # as `testing` does
    elements = split_run_pattern(run_pattern("/".join(names)))
    assert len(elements) == len(names)
    for element, name in zip(elements, names, strict=True):
        assert re.search(element, name)
        assert name == other or not re.search(element, other)
        assert not re.search(element, f"x{name}")
        assert not re.search(element, f"{name}x")


def report_of(folder: str, function: str, test: str | None, detector: str = "go") -> Report:
    file = f"{folder}/a_test.go"
    frame = Frame(function, "example.com/shop", file, 7, Origin.USER, path=file)
    access = Access(Op.WRITE, "goroutine 7", (frame,), site=frame)
    return Report(detector, "data-race", (access, access), test=test)


def reproduction_of(folder: str, function: str = "shop.TestCart", test: str | None = None) -> Reproduction:
    found = find_reproduction(report_of(folder, function, test))
    assert found is not None
    return found


@settings(deadline=None, max_examples=60)
@given(NAMES.filter(lambda name: name[0] != "/" and name[1:2] != ":"), NAMES)
def test_command_that_reproduces_a_race_has_the_words_that_are_meant(folder: Path, name: str, test: str) -> None:
    found = reproduction_of(name, test=f"TestCart/{test}")
    assert found.command is not None
    pattern = run_pattern(f"TestCart/{test}")
    assert words_of(found.command, folder) == [
        ["go", "test", "-race", f"./{name}", "-run", pattern, "-vet=off", "-count=20"]
    ]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_single_words(folder: Path, name: str) -> None:
    command = reproduction_of(name).command
    assert command is not None
    assert words_of(command, folder)[0][3] == f"./{name}"
    advice = split_code(verification_step(report_of("a", "shop.f", f"Test/{name}")))[0]
    assert advice[1]
    assert words_of(advice[0], folder)[0][4] == run_pattern(f"Test/{name}")
    program = find_reproduction(report_of("a", "shop.f", None, "tsan")._replace(facts=(("program", name),)))
    assert program is not None
    assert program.command is not None
    [[_, *words]] = words_of(f"program {program.command}", folder)
    assert words == [f"./{name}"]


def test_row_of_a_lake_may_have_no_command() -> None:
    race: dict[str, Any] = dict.fromkeys(("cause", "run_count", "family"))
    race |= {"status": "new"} | {name: [] for name in ("history", "causes", "runs", "tests", "aliases")}
    row: dict[str, Any] = dict.fromkeys(("pin", "variable", "fixed_by", "still_present"))
    for command, shown in ((None, ""), ("go test", "go test")):
        row["reproduce"] = {"framework": "go-test", "command": command}
        lines = list(LakeRaceText(OutputStyle())._fact_lines(race, row))
        assert [line.split(None, 1)[1] for line in lines if "reproduce" in line] == ([shown] if shown else [])


def test_why_there_is_no_command_is_told() -> None:
    found = reproduction_of("a\x1b[31m")
    assert (found.command, found.is_vague) == (None, True)
    assert found.note == r"No command is given: ./a\x1b[31m contains characters that cannot be pasted."
    assert "go test" not in verification_step(report_of("a", "shop.f", "Test/a\x1b[31m"))
