"""Unrelated programs share no race id, one-sided reports change no id, and ids of version 2 are still known."""

from __future__ import annotations

import json
import re
from functools import cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deadheat
from corpus import store
from deadheat import cli
from deadheat.grouping import fingerprint, keys, races
from deadheat.grouping.document import DocumentGrouping
from deadheat.grouping.keys import GroupingKey, grouping_key_of, race_address, racing_actors, racing_instructions
from deadheat.grouping.race_assignment import group_sightings
from deadheat.lake import derivation
from deadheat.lake.rewrites import retriage
from deadheat.lake.tables import Lake
from deadheat.symbols import native
from tests.cases import all_cases
from tests.lake_facts import VERSIONS, DocumentFacts, change_facts

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable
    from pathlib import Path

    from deadheat.grouping.keys import ActorSource, InstructionSource
    from deadheat.model import Sighting

TSAN = """\
==================
WARNING: ThreadSanitizer: data race (pid=1234)
  Write of size 4 at 0x7b0400000010 by thread T1:
    #0 Cache::put(int) {put} ({program}+0xd4764)
    #1 worker() {folder}/main.cc:20:5 ({program}+0xd4700)

  Previous read of size 4 at 0x7b0400000010 by thread T2:
    #0 Cache::get(int) {get} ({program}+0xd4388)
    #1 worker() {folder}/main.cc:21:5 ({program}+0xd4710)

SUMMARY: ThreadSanitizer: data race {put} in Cache::put(int)
==================
"""
HELGRIND = """\
==1234== Possible data race during write of size 4 at 0x52A5040 by thread #3
==1234== Locks held: none
==1234==    at 0x109A23: Cache::put(int) ({file}:31)
==1234==    by 0x109B00: worker() (main.cc:20)
==1234==
==1234== This conflicts with a previous read of size 4 by thread #2
==1234== Locks held: none
==1234==    at 0x109A77: Cache::get(int) ({file}:40)
==1234==    by 0x109B10: worker() (main.cc:21)
==1234==
"""

DRD = """\
==1234== drd, a thread error detector
==1234== Thread 3:
==1234== Conflicting store by thread 3 at 0x052a5040 size 4
==1234==    at 0x109A23: Cache::put(int) ({file}:31)
==1234==    by 0x109B00: worker() (main.cc:20)
==1234== Address 0x52a5040 is at offset 0 from 0x52a5040. Allocation context:
==1234==    at 0x4838DEF: operator new(unsigned long) (vg_replace_malloc.c:342)
==1234==    by 0x109A00: main (main.cc:9)
==1234==
"""


def tsan_report(program: str = "shop", folder: str = "/src/shop", file: str = "cache.cc", lines: int = 30) -> str:
    put, get = f"{folder}/{file}:{lines}:9", f"{folder}/{file}:{lines + 9}:9"
    values = {"program": program, "folder": folder, "put": put, "get": get}
    text = TSAN
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def helgrind_report(file: str = "cache.cc") -> str:
    return HELGRIND.replace("{file}", file)


def drd_report(file: str = "cache.cc") -> str:
    return DRD.replace("{file}", file)


REPORTS = {"tsan": tsan_report(), "helgrind": helgrind_report(), "drd": drd_report()}


def races_of(*texts: str) -> list[str]:
    """The race ids of reports that are scanned together, each in a document of its own."""
    grouped = [group_sightings(deadheat.scan(text, f"{at}.log", diagnose=False)) for at, text in enumerate(texts)]
    facts = races.empty_facts()
    for one in grouped:
        facts.add(one.facts)
    ids = races.race_ids(facts)
    return [ids[sighting.verdict.race] for one in grouped for sighting in one.sightings]


def are_one_race(*texts: str) -> bool:
    return len({*races_of(*texts)}) == 1


def test_functions_of_two_programs_are_two_races() -> None:
    assert not are_one_race(tsan_report(), tsan_report(program="mail"))
    assert not are_one_race(tsan_report(), tsan_report(file="pages.cc"))
    assert not are_one_race(helgrind_report(), helgrind_report("pages.cc"))
    assert not are_one_race(drd_report(), drd_report("pages.cc"))


def test_the_folder_of_a_checkout_the_lines_and_the_version_of_the_program_do_not_matter() -> None:
    for other in (
        tsan_report(folder="/home/ci/build-7/shop/src"),
        tsan_report(folder="../src", lines=77),
        tsan_report(program="/opt/build/bin/shop"),
        tsan_report(program="shop-1.4.0"),
    ):
        assert are_one_race(tsan_report(), other)
    assert not are_one_race(tsan_report(program="shop1"), tsan_report(program="shop2"))


def test_a_crate_is_one_race_in_every_program_that_contains_it() -> None:
    text = tsan_report(file="cache.rs").replace("main.cc", "main.rs")
    assert are_one_race(text, text.replace("shop+", "mail+"))


def without_debug_information(text: str, binary: str = "shop") -> str:
    text = re.sub(r"[^ ]*/(?:cache|main)\.cc:[0-9:]+ ", "<null> ", text)
    return re.sub(r"\((?:cache|main)\.cc:\d+\)", f"(in /opt/bin/{binary})", text)


@pytest.mark.parametrize("detector", REPORTS)
def test_a_report_without_debug_information_belongs_to_the_only_race_of_its_functions(detector: str) -> None:
    full = REPORTS[detector]
    bare = without_debug_information(full)
    assert "cache.cc" not in bare.partition("SUMMARY")[0]
    assert are_one_race(full, bare)
    # it may be any of two
    assert len({*races_of(full, full.replace("cache.cc", "pages.cc"), bare)}) == 3


def test_reports_without_debug_information_of_two_programs_are_two_races() -> None:
    assert not are_one_race(*(without_debug_information(tsan_report(program=name)) for name in ("shop", "mail")))
    for full in (helgrind_report(), drd_report()):
        assert not are_one_race(*(without_debug_information(full, name) for name in ("shop", "mail")))
    bare = without_debug_information(tsan_report(program="mail"))
    assert not are_one_race(tsan_report(), bare)


LAMBDA = """\
==================
WARNING: ThreadSanitizer: data race (pid=1234)
  Write of size 4 at 0x7b0400000010 by thread T1:
    #0 {first} /src/main.cc:20:5 ({program}+0xd4764)

  Previous write of size 4 at 0x7b0400000010 by thread T2:
    #0 {first} /src/main.cc:20:5 ({program}+0xd4764)

SUMMARY: ThreadSanitizer: data race /src/main.cc:20:5 in {first}
==================
"""


def lambda_report(first: str, program: str = "shop") -> str:
    return LAMBDA.replace("{first}", first).replace("{program}", program)


def test_a_lambda_belongs_to_a_race_of_its_own_program() -> None:
    clang, gcc = lambda_report("tally(int)::$_0::operator()() const"), lambda_report("operator()")
    assert are_one_race(clang, gcc)
    assert not are_one_race(clang, lambda_report("operator()", "mail"))


# -- earlier versions ------------------------------------------------------------------------------

# written by version 2, in which the programs of all detectors had one id
FORMER_ID = "d5b6468ecbaae47a"
FORMER_LINE = {
    "race": FORMER_ID,
    "title": "read/write race in Cache: get / put",
    "reason": "known before",
    "sites": ["Cache::put(int) cache.cc", "Cache::get(int) cache.cc"],
    "names": ["v2/d5b6468ecbaae47a/893ca3cadfba20f6/0"],
    "aliases": ["d5b6468e893ca3ca !~5fa6cb3d1a644772", "d5b6468e893ca3ca !~6aa53f130838d3b7"],
}
BY_HAND = {"race": FORMER_ID, "title": "Cache", "reason": "known before"}
BY_MUTE = {"mute": f"id:{FORMER_ID[:8]}", "reason": "known before"}


def gate(folder: Path, entry: object, text: str, *options: str) -> int:
    baseline, log = folder / "races.jsonl", folder / "log.txt"
    if entry is not None:
        baseline.write_text(json.dumps(entry) + "\n")
    log.write_text(text)
    return cli.main(["gate", "--baseline", str(baseline), *options, str(log)])


@pytest.mark.parametrize("entry", [FORMER_LINE, BY_HAND, BY_MUTE], ids=["written", "by-hand", "mute"])
@pytest.mark.parametrize("detector", ["tsan", "helgrind"])
def test_a_baseline_of_version_2_knows_the_race(tmp_path: Path, entry: object, detector: str) -> None:
    assert gate(tmp_path, entry, REPORTS[detector]) == 0
    assert gate(tmp_path, entry, REPORTS[detector].replace("Cache::put", "Cache::drop")) == 1


def test_a_baseline_of_version_2_knows_a_report_with_one_access(tmp_path: Path) -> None:
    assert gate(tmp_path, FORMER_LINE, drd_report()) == 0


def test_an_updated_baseline_still_knows_what_version_2_knew(tmp_path: Path) -> None:
    assert gate(tmp_path, FORMER_LINE, "no report\n", "--update") == 0
    assert gate(tmp_path, None, tsan_report(), "--update") == 0
    [entry] = map(json.loads, (tmp_path / "races.jsonl").read_text().splitlines())
    assert entry["race"] == FORMER_ID
    assert len(entry["names"]) == 2
    assert gate(tmp_path, None, helgrind_report()) == 0


@pytest.fixture
def former_lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """A lake with reports of version 2."""
    lake = Lake(str(tmp_path / "lake"))
    lake.create_tables()
    with monkeypatch.context() as patch:
        patch.setattr(fingerprint, "qualified_kind", lambda report: report.kind)
        patch.setattr(keys, "qualified_kind", lambda report: report.kind)
        patch.setattr(native, "site_key", native.function_key)
        documents = [DocumentFacts("before.log", tsan_report())]
        documents[0].versions = VERSIONS | {"fingerprint_version": fingerprint.FORMER_VERSION}
        change_facts(lake, "before", documents)
        derivation.derive_races(lake, "before")
    assert [row["race"] for row in lake.read_rows("races").to_pylist()] == [FORMER_ID]
    return lake


def test_new_reports_belong_to_the_races_of_a_lake_of_version_2(former_lake: Lake) -> None:
    change_facts(former_lake, "after", [DocumentFacts("after.log", tsan_report(lines=50), day=1)])
    assert derivation.derive_races(former_lake, "after") == []
    [race] = former_lake.read_rows("races").to_pylist()
    assert (race["race"], race["sightings"]) == (FORMER_ID, 2)


def test_a_renewed_lake_finds_races_by_their_ids_of_version_2(former_lake: Lake) -> None:
    assert retriage.retriage_lake(former_lake).changed == 1
    derivation.derive_races(former_lake, "renewed")
    [race] = former_lake.read_rows("races").to_pylist()
    assert race["race"] == races_of(tsan_report())[0] != FORMER_ID
    assert FORMER_ID in race["aliases"]
    change_facts(former_lake, "after", [DocumentFacts("after.log", tsan_report(program="mail"))])
    assert len(derivation.derive_races(former_lake, "after")) == 1


def test_the_digits_of_a_program_are_part_of_its_id_in_a_lake(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path / "lake"))
    lake.create_tables()
    texts = [tsan_report(program=name) for name in ("shop1", "shop2")]
    change_facts(lake, "new", [DocumentFacts(f"{at}.log", text) for at, text in enumerate(texts)])
    derivation.derive_races(lake, "derived")
    assert {row["race"] for row in lake.read_rows("races").to_pylist()} == {*races_of(*texts)}
    assert retriage.retriage_lake(lake, everything=True).changed == 0


# -- one-sided reports -----------------------------------------------------------------------------


class GroupedReport(NamedTuple):
    """A recorded report as it is added to its document."""

    document: str
    one_sided: bool
    values: tuple[GroupingKey, str | None, int, ActorSource, InstructionSource]


@cache
def recorded_reports() -> dict[str, list[GroupedReport]]:
    """The reports of golden cases and of recorded programs in C and C++, by document."""
    texts = {case.name: case.sightings() for case in all_cases()}
    for path in sorted((store.unpacked_set("heldout-02") / "c").glob("*/recorded/*.txt")):
        name = f"{path.parent.parent.name} {path.stem}"
        texts[name] = deadheat.scan(path.read_text(encoding="utf-8"), name, diagnose=False)
    return {name: [_grouped_report(name, one) for one in sightings] for name, sightings in texts.items() if sightings}


def _grouped_report(name: str, sighting: Sighting) -> GroupedReport:
    report = sighting.report
    key = grouping_key_of(report)
    sources = partial(racing_actors, report), partial(racing_instructions, report)
    return GroupedReport(name, key.one_sided, (key, sighting.span.stream, race_address(report), *sources))


def ids_of_reports(reports: Iterable[GroupedReport]) -> list[tuple[GroupedReport, str]]:
    """The race ids of these reports of any documents, scanned together."""
    facts = races.empty_facts()
    variants: list[tuple[GroupedReport, str]] = []
    for _, group in groupby(reports, key=lambda report: report.document):
        members = [*group]
        document = DocumentGrouping()
        for report in members:
            document.add_report(*report.values)
        names, found = document.group_reports()
        facts.add(found)
        variants += zip(members, names, strict=True)
    ids = races.race_ids(facts)
    return [(report, ids[name]) for report, name in variants]


def two_sided_ids(reports: Iterable[GroupedReport]) -> list[str]:
    return [race for report, race in ids_of_reports(reports) if not report.one_sided]


def assert_one_sided_reports_change_no_other_id(reports: list[GroupedReport]) -> None:
    assert two_sided_ids(reports) == two_sided_ids(report for report in reports if not report.one_sided)


def test_one_sided_reports_change_no_id_of_a_recorded_report() -> None:
    reports = [report for group in recorded_reports().values() for report in group]
    assert 100 < sum(report.one_sided for report in reports) < len(reports) - 100
    assert_one_sided_reports_change_no_other_id(reports)
    for group in recorded_reports().values():
        assert_one_sided_reports_change_no_other_id(group)


@given(st.randoms(use_true_random=False))
def test_one_sided_reports_change_no_id_in_any_set_of_reports(rng: random.Random) -> None:
    documents = recorded_reports()
    chosen = rng.sample(sorted(documents), rng.randint(1, 60))
    share = rng.random()
    reports = [report for name in chosen for report in documents[name] if rng.random() < share]
    assert_one_sided_reports_change_no_other_id(reports)


def test_a_one_sided_report_joins_the_only_race_of_its_function_under_the_id_of_that_race() -> None:
    put, get = drd_report(), drd_report().replace("store", "load").replace("Cache::put", "Cache::get")
    other = helgrind_report().replace("Cache::get", "Cache::size")
    [race] = races_of(helgrind_report())
    assert races_of(helgrind_report(), put, get) == [race] * 3
    assert races_of(put, get, helgrind_report()) == [race] * 3
    # with two candidates it belongs to neither
    races_with_other = races_of(helgrind_report(), other, put)
    assert races_with_other == [race, *races_of(other), *races_of(put)]
    assert len({*races_with_other}) == 3


def test_a_baseline_line_with_a_one_sided_report_knows_all_its_variants(tmp_path: Path) -> None:
    texts = [drd_report(), helgrind_report(), helgrind_report().replace("Cache::get", "Cache::size")]
    names = []
    for text in texts:
        [variant] = group_sightings(deadheat.scan(text, diagnose=False)).facts.variants.values()
        fields = f"v3/{variant.fingerprint}/{variant.caller_digest}/{variant.ordinal}"
        names.append(f"{fields}/{variant.ambiguity}" if variant.ambiguity else fields)
    assert [name.count("/") for name in names] == [4, 3, 3]
    line = {"race": races_of(texts[0])[0], "title": "Cache", "reason": "merged by hand", "names": names}
    for text in texts:
        assert gate(tmp_path, line, text) == 0
    assert gate(tmp_path, line, texts[1].replace("Cache::put", "Cache::drop")) == 1
