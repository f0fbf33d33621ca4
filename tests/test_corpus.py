"""Labels of the corpus agree with the marks in its source, and variants change the source as intended."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from corpus import store
from corpus.label_go import (
    UnlabelledError,
    build_labels,
    find_marks,
    go_programs,
    is_set_aside,
    label_reports,
    marked_variables,
    program_recordings,
    read_source,
)
from corpus.store import HELD_OUT
from corpus.txtar import format_archive, parse_archive
from corpus.variants_go import BY_KIND, VARIANTS, Variant, delay_accesses

if TYPE_CHECKING:
    from pathlib import Path

# the other held-out sets are checked by `python -m corpus.record_go --check`
OLD = go_programs(store.unpacked_set("main"))
NEW = go_programs(store.unpacked_set(HELD_OUT[0]))
PROGRAMS = [*OLD, *NEW]
LAST = go_programs(store.unpacked_set(HELD_OUT[-1]))
# /root, /tmp/corpus-x1y2: a path of the machine that recorded
MACHINE = re.compile(r"/(?:root|tmp|work|Users)\b")
# the catalogue of causes; each has a program in every held-out set
CAUSES = {
    "loop-variable-captured",
    "error-variable-captured",
    "named-result-captured",
    "local-captured",
    "concurrent-map",
    "concurrent-slice",
    "missing-lock",
    "partial-lock",
    "write-under-rlock",
    "copied-lock",
    "different-locks",
    "mixed-atomic",
    "struct-overwritten",
    "waitgroup-add-in-goroutine",
    "waitgroup-reused",
    "done-before-cleanup",
    "worker-outlives-owner",
    "teardown-vs-worker",
    "recovery-path",
    "timer-after-stop",
    "pooled-object-reused",
    "lazy-initialisation",
    "double-checked-locking",
    "started-before-initialised",
    "check-then-act",
    "close-vs-send",
    "channel-and-shared-memory",
    "parallel-test-shared-fixture",
    "test-changes-global",
    "test-leaves-resource-open",
    "log-after-test",
    "unsafe-type-shared",
}


def _labels(program: Path) -> dict[str, dict[str, list[str]]]:
    labels: dict[str, dict[str, list[str]]] = json.loads((program / "labels.json").read_text())
    return labels


@pytest.mark.long
@pytest.mark.parametrize("program", [*PROGRAMS, *LAST], ids=lambda path: path.name)
def test_labels_agree_with_the_marks(program: Path) -> None:
    assert _labels(program) == build_labels(program, program_recordings(program)), "python -m corpus.label_go"


def test_both_halves_are_large_enough() -> None:
    set_aside = [program for program in OLD if is_set_aside(program.name)]
    assert len(OLD) >= 60
    assert 30 <= len(set_aside) <= len(OLD) - 30


@pytest.mark.parametrize(
    ("name", "least"), [*zip(HELD_OUT, (36, 33, 30, 45, 60, 60, 60, 60, 60, 60, 70), strict=True)], ids=HELD_OUT
)
def test_a_held_out_set_has_every_cause_and_a_cause_for_every_race(name: str, least: int) -> None:
    causes = {}
    found = [program for program in store.read_programs(name) if program.language == "go"]
    for program in found:
        cause = program.truth["cause"]
        for variable in marked_variables(find_marks(program.sources)):
            causes[program.name, variable] = cause if isinstance(cause, str) else cause[variable]
    assert len(found) >= least
    assert set(causes.values()) == CAUSES


@pytest.mark.parametrize("program", LAST, ids=lambda path: path.name)
def test_every_recording_of_the_last_set_shows_every_race(program: Path) -> None:
    wanted = marked_variables(find_marks(read_source(program)))
    for name, races in _labels(program)["recordings"].items():
        assert set(races) == wanted, name


def test_the_last_set_has_each_cause_twice() -> None:
    causes: Counter[str] = Counter()
    for program in LAST:
        cause = json.loads((program / "truth.json").read_text())["cause"]
        causes.update([cause] if isinstance(cause, str) else {*cause.values()})
    assert min(causes[cause] for cause in CAUSES) >= 2


@pytest.mark.parametrize("program", [*NEW, *LAST], ids=lambda path: path.name)
def test_a_held_out_recording_names_no_path_of_the_machine(program: Path) -> None:
    assert not [name for name, text in program_recordings(program) if MACHINE.search(text)]


def test_names_are_used_once() -> None:
    names = [name for one in store.SETS for language, name in store.program_names(one) if language == "go"]
    assert max(Counter(names).values()) == 1


def test_many_programs_have_races_that_look_alike() -> None:
    found = [{race for one in _labels(p)["recordings"].values() for race in one} for p in PROGRAMS]
    assert sum(len(races) > 1 for races in found) >= 20


@pytest.mark.parametrize("kind", BY_KIND)
def test_every_kind_is_recorded(kind: str) -> None:
    names = [name for program in PROGRAMS for name in _labels(program)["recordings"]]
    assert Counter(name.partition("-")[2] for name in names)[kind] >= 20


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.kind)
def test_a_variant_keeps_every_mark(variant: Variant) -> None:
    for program in PROGRAMS:
        files = read_source(program)
        changed = variant.change(files)
        assert Counter(find_marks(changed).values()) == Counter(find_marks(files).values()), program


ZONE = """package zone

func (z *zone) join(id int) {
	z.all[id] = &thing{} //behind:zone.all[] //race:zone.all
}

func (t *thing) step() {
	t.at++ //behind:zone.all[]
}
"""


def test_pointee_marks_are_separate_variables() -> None:
    assert find_marks({"zone.go": ZONE}) == {("zone.go", 4): {"zone.all", "zone.all[]"}, ("zone.go", 8): {"zone.all[]"}}


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.kind)
def test_pointee_marks_do_not_change_variants(variant: Variant) -> None:
    def without(files: dict[str, str]) -> dict[str, str]:
        return {name: re.sub(r" //behind:\S+", "", text) for name, text in files.items()}

    files = {"go.mod": "module example.com/zone\n", "zone.go": ZONE}
    assert without(variant.change(files)) == variant.change(without(files))


SOURCE = {
    "go.mod": "module example.com/shop\n",
    "shop.go": """package shop

// Cart holds lines.
type Cart struct{ total, lines int }

// Add adds a line.
func (c *Cart) Add(n int) {
	c.total += n //race:Cart.total
	c.lines++    //race:Cart.lines
}

func run(c *Cart) {
	go func() { c.Add(1) }()
	c.Add(2)
}
""",
}
FRAME = """  example.com/shop.(*Cart).Add()
      /src/shop.go:{line} +0x12
"""


def _report(first: int, second: int, address: str = "0x00c000012345") -> str:
    return (
        "==================\nWARNING: DATA RACE\n"
        f"Write at {address} by goroutine 7:\n{FRAME.format(line=first)}\n"
        f"Previous write at {address} by goroutine 6:\n{FRAME.format(line=second)}"
        "==================\n"
    )


def test_a_label_is_the_variable_that_both_accesses_share() -> None:
    text = _report(8, 8) + _report(9, 9, "0x00c000012355")
    assert label_reports(text.encode(), SOURCE) == (["Cart.total", "Cart.lines"], {})


def test_a_report_without_marks_is_labelled_by_its_address() -> None:
    text = _report(8, 8) + _report(9, 9, "0x00c000012355") + _report(40, 41, "0x00c000012355")
    labels, how = label_reports(text.encode(), SOURCE)
    assert labels == ["Cart.total", "Cart.lines", "Cart.lines"]
    assert how == {2: "same address"}


def test_a_report_without_a_unique_label_is_refused() -> None:
    with pytest.raises(UnlabelledError):
        label_reports(_report(8, 9).encode(), SOURCE)


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("lines", "\t// kept as it was\n\tc.total += n //race:Cart.total"),
        ("closure", "func run(c *Cart) {\n\thook := func() {}\n\thook()\n\tgo func"),
        ("wrapper", "func (c *Cart) CallAdd(n int) {\n\tc.Add(n)\n}"),
        ("caller", "func runNow(c *Cart) {"),
        ("extracted", "\tc.AddStep(n)\n}\n\nfunc (c *Cart) AddStep(n int) {\n\tc.total"),
        ("major", "module example.com/shop/v2"),
    ],
)
def test_the_source_of_a_variant(kind: str, wanted: str) -> None:
    assert wanted in "\n".join(BY_KIND[kind].change(SOURCE).values())


def test_moved_functions_keep_their_imports() -> None:
    text = 'package a\n\nimport "time"\n\nfunc f() {\n\ttime.Sleep(1) //race:x\n}\n'
    moved = BY_KIND["moved"].change({"go.mod": "module a\n", "a.go": text})
    assert "import" not in moved["a.go"]
    assert moved["moved.go"].startswith('package a\n\nimport (\n\t"time"\n)\n')


def test_delayed_lines_delay_the_end_of_the_program() -> None:
    text = "package main\n\nfunc main() {\n\tx = 1 //race:x\n}\n"
    waits = delay_accesses({("a.go", 4)})({"a.go": text})["a.go"]
    assert "time.Sleep(60 * time.Millisecond)\n\tx = 1" in waits
    assert "func main() {\n\tdefer time.Sleep(" in waits


def test_an_archive_round_trip_keeps_its_texts() -> None:
    texts = {"go1.24-lines": "--- FAIL: TestX\n-- \n", "go1.19-moved": "x\n"}
    assert parse_archive(format_archive(texts)) == texts
