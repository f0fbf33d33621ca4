"""The pipeline on Spark: the same as `scan`, once and only once, however the work is cut."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import stat
import string
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from io import BytesIO
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deadheat import api
from deadheat import spark as spark_module
from deadheat.api import scan_text
from deadheat.diagnosis import cause_votes, causes_of_report
from deadheat.errors import DeadheatError, unexpected_fault
from deadheat.grouping import races as core_races
from deadheat.grouping.links import ConnectedComponents, Link
from deadheat.grouping.race_assignment import RaceAssigner, group_sightings, with_race
from deadheat.grouping.races import find_families as core_families
from deadheat.lake import maintenance, queries
from deadheat.lake.documents import KnownDocument
from deadheat.lake.tables import Lake
from deadheat.model import CiRun
from deadheat.parsing.report_reader import RANGE_OVERLAP
from deadheat.sources import file_listing, files
from deadheat.spark import ingest as ingesting
from deadheat.spark import input_files, reduce_spark, session, shipping, task_output, tasks
from deadheat.spark.dataframes import MAX_LOCAL_ROWS, component_labels, spark_schema
from deadheat.spark.fact_changes import FactChanges
from deadheat.spark.task_output import TaskOutput
from tests.cases import ROOT, all_cases
from tests.conftest import SETTINGS
from tests.lakes import content, sightings, taken

if TYPE_CHECKING:
    from deadheat.model import Sighting

SAMPLES = ROOT.parent.parent / "samples"
REPORT = (ROOT / "go" / "two-goroutines.txt").read_bytes()
OTHER = (ROOT / "go" / "finished-goroutine.txt").read_bytes()


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every golden case as a file of its own, with a time of its own."""
    folder = tmp_path_factory.mktemp("documents")
    for number, case in enumerate(all_cases()):
        path = folder / f"{case.name}.log"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(case.raw)
        when = datetime(2026, 1, 1, tzinfo=UTC).timestamp() + number * 40_000
        os.utime(path, (when, when))
    return folder


@pytest.fixture(scope="module")
def lake(spark: Any, cases: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of them in one lake, by one batch."""
    root = tmp_path_factory.mktemp("lake") / "whole"
    summary = taken(spark, root, [cases])
    assert summary.rejects == ()
    return root


@cache
def scanned(data: bytes, uri: str) -> tuple[Sighting, ...]:
    return tuple(scan_text(data, uri, diagnose=False))


def expected(paths: list[Path]) -> list[Sighting]:
    """What `scan` finds, in the order of places, each by its fingerprint."""
    found = [s for path in paths for s in scanned(path.read_bytes(), str(path))]
    named = [with_race(s, s.verdict.fingerprint) for s in found]
    return sorted(named, key=lambda s: (s.uri, s.span.offset, s.span.stream or ""))


def test_every_case_comes_out_of_the_lake_as_out_of_a_scan(cases: Path, lake: Path) -> None:
    assert sightings(lake) == expected([*cases.rglob("*.log")])


def test_the_races_are_those_of_a_scan(cases: Path, lake: Path) -> None:
    identity = RaceAssigner()
    nodes: dict[tuple[str, int, str | None], str] = {}
    for path in cases.rglob("*.log"):
        found, told, _ = group_sightings(scanned(path.read_bytes(), str(path)))
        identity.add_batch(told)
        nodes |= {(s.uri, s.span.offset, s.span.stream): s.verdict.race for s in found}
    by_scan = _groups({place: identity.race_ids()[node] for place, node in nodes.items()})
    opened = Lake(str(lake))
    races = {n: row["race"] for row in opened.read_rows("races").to_pylist() for n in row["nodes"]}
    seen = opened.read_rows("sightings").to_pylist()
    places = {(row["uri"], row["offset"], row["lane"]): races[row["node"]] for row in seen}
    assert _groups(places) == by_scan


def _groups(names: dict[tuple[str, int, str | None], str]) -> set[frozenset[object]]:
    """What goes together, whatever it is called."""
    together: dict[str, set[object]] = {}
    for place, name in names.items():
        together.setdefault(name, set()).add(place)
    return {*map(frozenset, together.values())}


def test_nothing_is_wrong_with_the_lake(lake: Path) -> None:
    assert list(maintenance.find_faults(Lake(str(lake)))) == []


def test_batches_add_up_to_the_same_lake(spark: Any, cases: Path, lake: Path, tmp_path: Path) -> None:
    folders = sorted(path for path in cases.iterdir())
    for some in (folders[-1:], folders[:1], folders):
        taken(spark, tmp_path / "lake", some)
    assert content(tmp_path / "lake") == content(lake)


def test_files_of_tasks_become_files_of_the_table(
    spark: Any, cases: Path, lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_output, "MAX_RETURNED_ROWS", 0)
    root = tmp_path / "lake"
    for paths in ([cases / "go"], [cases]):  # some reports are known, the second time
        taken(spark, root, paths)
    assert content(root) == content(lake)
    assert len(Lake(str(root)).data_files("reports")) >= 2
    assert list(maintenance.find_faults(Lake(str(root)))) == []


@pytest.fixture(scope="module")
def both_halves(spark: Any, cases: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lake") / "both"
    taken(spark, root, [cases / "go_fatal", cases / "miri"])
    return root


@pytest.mark.parametrize(
    ("few", "of"), [(0, "both_halves"), (MAX_LOCAL_ROWS, "lake")], ids=["on-spark", "on-the-driver"]
)
def test_a_rebuild_changes_nothing(spark: Any, few: int, of: str, request: pytest.FixtureRequest) -> None:
    root: Path = request.getfixturevalue(of)
    before = content(root)
    count = ingesting.rebuild_lake(lambda small: spark, Lake(str(root)), max_local_rows=few)
    assert content(root) == before
    assert count == len(before["races"]) > 20


def test_a_race_has_the_cause_that_all_its_reports_give_it(cases: Path, lake: Path) -> None:
    opened = Lake(str(lake))
    said = {
        (s.uri, s.span.offset, s.span.stream): causes_of_report(s.report)[0] for s in expected([*cases.rglob("*.log")])
    }
    races = {node: row for row in opened.read_rows("races").to_pylist() for node in row["nodes"]}
    votes: dict[str, cause_votes.CauseVotes] = {}
    for row in opened.read_rows("sightings").to_pylist():
        first = said[row["uri"], row["offset"], row["lane"]]
        mine = votes.setdefault(races[row["node"]]["race"], {})
        cause_votes.add_votes(mine, cause_votes.votes_of_report(first.cause, first.confidence, 1))
    found = {row["race"]: (row["causes"], row["cause"]) for row in races.values()}
    told = {race: cause_votes.votes_as_rows(mine) for race, mine in votes.items()}
    assert found == {race: (mine, cause_votes.choose_cause(mine)) for race, mine in told.items()}
    assert any(len(mine) > 1 for mine in told.values())


def test_families_are_those_of_the_core(lake: Path) -> None:
    opened = Lake(str(lake))
    keys = {row["race"]: row["keys"] for row in opened.read_rows("races").to_pylist()}
    told = opened.read_rows("families").to_pylist()
    found = sorted((row["family"], tuple(row["races"]), tuple(row["why"])) for row in told)
    assert found == [tuple(family) for family in core_families(keys)]
    assert found
    related = {row["race"]: row["family"] for row in opened.read_rows("races").to_pylist()}
    assert all(related[race] == family for family, races, _ in found for race in races)


def test_components_are_those_of_the_core(spark: Any) -> None:
    chain = [(f"{n:03}", f"{n + 1:03}") for n in range(12)]
    pairs = [*chain[::-1], ("x", "y"), ("y", "z"), ("w", "z"), ("q", "q")]
    known = ConnectedComponents()
    for a, b in pairs:
        known.join(a, b)
    found = component_labels(spark.createDataFrame(pairs, "a string, b string")).collect()
    assert {row.id: row.label for row in found} == known.roots()


NODES = [
    # base, links, aliases, split; the first one is the oldest
    ("n1", "b1", ["n3"], [], False),
    ("n2", "b1", [], ["gone"], False),
    ("n3", "b2", [], [], False),
    ("n4", "b3", [], ["n6"], True),
    ("n5", "b3", [], [], False),
    ("n6", "b3", [], [], False),
    ("n7", "b4", [], [], False),
    ("n8", "b2", [], [], False),
    ("n9", "b5", ["n4"], ["n7"], False),
    # what shares a name, what is asked for and answered, what two answer to
    ("na", "b6", ["=x"], [], False),
    ("nb", "b7", ["=x"], ["?k"], False),
    ("nc", "b8", [], ["!k"], False),
    ("nd", "b9", [], ["?j", "?none"], False),
    ("ne", "b10", [], ["!j"], False),
    ("nf", "b11", [], ["!j"], False),
    # two answer who are one, since one of them asked the other
    ("ng", "b12", [], ["!p", "!q"], False),
    ("nh", "b13", [], ["?p", "!q"], False),
    ("ni", "b14", [], ["?q"], False),
    # a number is doubtful: what is beside it is the first twin, or is not, or callers matter
    ("e" * 16, "e0", ["f" * 16], [], False),
    ("f" * 16, "f0", [], [], False),
    (f"{'e' * 16}1", "e1", [], [], False),
    (f"{'e' * 16}~1", "e0", [], [f"<{'f' * 16}", "#0e0", "#1e1", "#2e2"], False),
    (f"{'e' * 16}~2", "e0", [], ["<n7", "#0e0", "#1e1"], False),
    (f"{'e' * 16}1~3", "e1", ["na"], [f"<{'f' * 16}", "#0e0", "#1e1", "#2e2", "n8"], False),
    ("d" * 16, "d0", ["f" * 16], [], True),
    (f"{'d' * 16}1", "d1", [], [], True),
    (f"{'d' * 16}~4", "d0", [], [f"<{'f' * 16}", "#0d0", "#1d1"], True),
    (f"{'c' * 16}~5", "d0", [], [f"<{'f' * 16}", "#0d0", "#1d1"], True),
    (f"{'c' * 16}~6", "d0", [], ["<n7", "#0d0", "#1d1"], True),
    # what is beside it asked for the first twin
    ("6" * 16, "k0", [], ["!w"], False),
    ("5" * 16, "l0", [], ["?w"], False),
    (f"{'6' * 16}~c", "k0", [], [f"<{'5' * 16}", "#0k0", "#1k1"], False),
    # a number is known from another one: which others contradict, or do not
    ("a" * 16, "a0", [], [], False),
    (f"{'a' * 16}1", "a1", [], [], False),
    ("b" * 16, "h0", ["a" * 16], [], False),
    (f"{'b' * 16}~7", "h0", [f"{'a' * 16}1"], [f"^{'a' * 16}1"], False),
    (f"{'b' * 16}~8", "h0", ["n7"], ["^n7"], False),
    ("9" * 16, "i0", [], [], False),
    (f"{'9' * 16}~7", "i0", [f"{'a' * 16}1"], [f"^{'a' * 16}1"], False),
    (f"{'8' * 16}~9", "j0", ["a" * 16], [f"^{'a' * 16}"], False),
    (f"{'8' * 16}~a", "j0", [], ["<n7", "#0j0", "#1j1"], False),
    (f"{'7' * 16}~b", "d0", ["n7"], ["^n7"], True),
]


# the same again, with names that nobody above has, the oldest of whom are the youngest above
_OTHERS = str.maketrans("56789" + string.ascii_lowercase, "VWXYZ" + string.ascii_uppercase)
TURNED = [
    (
        node.translate(_OTHERS),
        base.translate(_OTHERS),
        [link.translate(_OTHERS) for link in links],
        [alias.translate(_OTHERS) for alias in aliases],
        split,
    )
    for node, base, links, aliases, split in NODES[::-1]
]


def test_races_have_the_names_that_the_core_gives_them(spark: Any) -> None:
    """Whichever of them is the oldest. One run for both, since it is the plan that takes time."""
    columns = "node string, base string, links array<string>, aliases array<string>, split boolean"
    nodes = [*NODES, *TURNED]
    aged = [(*node, datetime.fromtimestamp(age, UTC)) for age, node in enumerate(nodes)]
    frame = spark.createDataFrame(aged, f"{columns}, first_seen timestamp")
    found = {row.node: row.race for row in reduce_spark.name_variants(frame).collect()}
    known = core_races.GroupingFacts(
        {node: _Named(base, "") for node, base, *_ in nodes},
        {(node, other) for node, _, links, _, _ in nodes for other in links},
        {(node, Link.decode(other)) for node, _, _, aliases, _ in nodes for other in aliases},
        {base for _, base, _, _, split in nodes if split},
    )
    assert found == core_races.race_ids(known, {node[0]: age for age, node in enumerate(nodes)})
    assert len(set(found.values())) == 2 * 17


class _Named(core_races.Variant):
    """A node whose base is what a test says."""

    @property
    def base(self) -> str:
        return self.fingerprint


# -- ranges ----------------------------------------------------------------------------------------

RANGE = 8000


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with many reports that takes many ranges of `RANGE`."""
    path = tmp_path_factory.mktemp("long") / "long.log"
    corpus = [case.raw for case in all_cases() if case.name.startswith("go/")]
    plain = [raw for raw in corpus if files.can_be_split(raw, "")]
    path.write_bytes(b"\nmore output\n".join(plain[::3]))
    os.utime(path, (1_770_000_000, 1_770_000_000))
    return path


def test_ranges_give_what_the_whole_gives(spark: Any, long: Path, lake: Path, tmp_path: Path) -> None:
    wanted = expected([long])
    # few enough to be handed over, and too many for the driver together with what there is
    many = 2 * len(wanted)
    assert Lake(str(lake)).row_count("nodes") + len(wanted) > many
    assert len(input_files.split_work(next(input_files.list_work([str(long)])), RANGE)) > 5
    for name, unit, few in (("whole", None, MAX_LOCAL_ROWS), ("cut", RANGE, MAX_LOCAL_ROWS), ("many", RANGE, many)):
        shutil.copytree(lake, tmp_path / name)
        taken(spark, tmp_path / name, [long], unit_bytes=unit, max_local_rows=few)
    assert content(tmp_path / "cut") == content(tmp_path / "whole")
    assert content(tmp_path / "many") == content(tmp_path / "whole")
    assert [s for s in sightings(tmp_path / "whole") if s.uri == str(long)] == wanted


# -- files that change -----------------------------------------------------------------------------


def test_a_file_that_grows_is_read_on(spark: Any, long: Path, tmp_path: Path) -> None:
    log, root = tmp_path / "log", tmp_path / "lake"
    other = tmp_path / "other"
    filler = b"nothing to see here\n" * (RANGE_OVERLAP // 20)
    other.write_bytes(OTHER)
    whole = long.read_bytes() + filler + REPORT * 3
    for end in (len(long.read_bytes()) // 2, len(long.read_bytes()) + len(filler) + 700, len(whole)):
        log.write_bytes(whole[:end])
        os.utime(log, (1_770_000_000 + end, 1_770_000_000 + end))
        summary = taken(spark, root, [log, other], max_local_rows=0 if end == len(whole) else MAX_LOCAL_ROWS)
    assert summary.bytes < len(whole), "it was read from where it ended"
    assert sightings(root) == expected([log, other])
    assert list(maintenance.find_faults(Lake(str(root)))) == []
    taken(spark, tmp_path / "once", [log, other])
    assert _without_times(content(root)) == _without_times(content(tmp_path / "once"))


def _without_times(tables: dict[str, list[str]]) -> dict[str, int]:
    """A file that grew was read at several times, each with a row, and some reports only while they were incomplete."""
    return {table: len(rows) for table, rows in tables.items() if table not in ("reports", "files")}


def _write_at(path: Path, data: bytes, time: int) -> None:
    path.write_bytes(data)
    os.utime(path, (time, time))


def test_a_file_that_was_overwritten_is_another_document(spark: Any, tmp_path: Path) -> None:
    log, root = tmp_path / "log", tmp_path / "lake"
    _write_at(log, REPORT + REPORT, 1_770_000_000)
    assert taken(spark, root, [log]).sightings == 2
    assert taken(spark, root, [log]).known_files == 1
    _write_at(log, OTHER, 1_770_000_100)
    summary = taken(spark, root, [log])
    assert (summary.sightings, summary.replaced_sightings) == (1, 0)
    assert sorted(race["sightings"] for race in queries.list_races(Lake(str(root)))) == [1, 2]


def test_every_run_that_wrote_a_file_is_counted(spark: Any, tmp_path: Path) -> None:
    log, root = tmp_path / "test.log", tmp_path / "lake"
    for number in (1, 2, 3):
        _write_at(log, REPORT, 1_770_000_000 + number)
        taken(spark, root, [log], run_of=lambda _, run=str(number): CiRun("shop", run=run))
    (race,) = queries.list_races(Lake(str(root)))
    assert (race["sightings"], race["runs"], race["run_count"]) == (3, ["3", "2", "1"], 3)


def test_a_file_that_was_overwritten_within_its_run_is_replaced(spark: Any, tmp_path: Path) -> None:
    log, other, root = tmp_path / "a.log", tmp_path / "b.log", tmp_path / "lake"
    run: dict[str, Any] = {"run_of": lambda _: CiRun("shop", run="1")}
    other.write_bytes(OTHER)
    _write_at(log, REPORT + REPORT, 1_770_000_000)
    taken(spark, root, [tmp_path / "a.log", other], **run)
    _write_at(log, OTHER + b"more\n" + REPORT, 1_770_000_100)
    summary = taken(spark, root, [log, other], **run)
    assert (summary.files, summary.sightings, summary.replaced_sightings) == (1, 2, 2)
    assert sightings(root) == expected([log, other])
    assert list(maintenance.find_faults(Lake(str(root)))) == []


@pytest.mark.parametrize("run", [None, "1"])
def test_the_same_content_under_two_paths_counts_once(spark: Any, tmp_path: Path, run: str | None) -> None:
    for name in ("a.log", "copy/a.log"):
        (tmp_path / "logs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "logs" / name).write_bytes(REPORT)
    summary = taken(spark, tmp_path / "lake", [tmp_path / "logs"], run_of=lambda _: CiRun("shop", run=run))
    assert (summary.files, summary.sightings) == (2, 1)
    assert summary.duplicates == (str(tmp_path / "logs" / "copy" / "a.log"),)
    # in another run it counts again
    other = taken(spark, tmp_path / "lake", [tmp_path / "logs"], run_of=lambda _: CiRun("shop", run="2"))
    assert (other.files, other.sightings) == (2, 1)


def test_a_duplicate_counts_when_the_other_file_is_overwritten(spark: Any, tmp_path: Path) -> None:
    log, copy, root = tmp_path / "a.log", tmp_path / "b.log", tmp_path / "lake"
    run: dict[str, Any] = {"run_of": lambda _: CiRun("shop", run="1")}
    _write_at(log, REPORT, 1_770_000_000)
    _write_at(copy, REPORT, 1_770_000_000)
    assert taken(spark, root, [log, copy], **run).sightings == 1
    _write_at(log, OTHER, 1_770_000_100)
    # only the file that was overwritten is read
    assert taken(spark, root, [log], **run).replaced_sightings == 0
    assert sightings(root) == expected([log, copy])
    assert taken(spark, root, [log, copy], **run).known_files == 2
    # a copy is no duplicate of what is overwritten at the same time: a log that was rotated within a run
    _write_at(tmp_path / "a.log.1", OTHER, 1_770_000_100)
    _write_at(log, REPORT + REPORT, 1_770_000_200)
    taken(spark, root, [log, tmp_path / "a.log.1", copy], **run)
    assert sightings(root) == expected([log, tmp_path / "a.log.1", copy])
    assert list(maintenance.find_faults(Lake(str(root)))) == []


def test_equal_files_that_grow_together_and_a_gzip_file_that_grows_count_once(spark: Any, tmp_path: Path) -> None:
    names = [tmp_path / name for name in ("a.log", "b.log", "c.log.gz")]
    for end in (1, 2):
        for path, text in zip(names, (REPORT, REPORT, OTHER), strict=True):
            pack = partial(gzip.compress, mtime=0) if path.suffix == ".gz" else bytes
            _write_at(path, pack(text) * end, 1_770_000_000 + end)
        taken(spark, tmp_path / "lake", names)
        assert len(sightings(tmp_path / "lake")) == 2 * end
    assert list(maintenance.find_faults(Lake(str(tmp_path / "lake")))) == []


# -- what cannot be read ---------------------------------------------------------------------------


def test_what_cannot_be_read_is_told_and_the_rest_goes_on(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.log").write_bytes(REPORT)
    (folder / "b.gz").write_bytes(gzip.compress(OTHER * 40)[:-20])
    (folder / "bad.zip").write_bytes(b"\x9c\0\xfe not packed")
    (folder / "c.log").symlink_to("nowhere")
    (folder / "odd\udcff.log").write_bytes(b"more\n" + REPORT)
    os.mkfifo(folder / "d")
    (folder / "gone.log").write_bytes(REPORT)
    gone = folder / "gone.log"
    root = tmp_path / "lake"
    summary = taken(spark, root, [folder], on_plan=lambda _: gone.unlink())
    told = {Path(uri).name: what for uri, what in summary.rejects}
    assert [*told] == ["b.gz", "bad.zip", "c.log", "d", "gone.log"]
    assert "is damaged" in told["b.gz"]
    assert "is damaged" in told["bad.zip"]
    assert "no such file" in told["gone.log"]
    assert Lake(str(root)).row_count("rejects") == 5
    assert (summary.files, len({s.uri for s in sightings(root)})) == (4, 3)
    again = taken(spark, root, [folder])
    assert (again.known_files, again.sightings) == (4, 0)
    assert Lake(str(root)).row_count("rejects") == 5, "told once"


def test_of_a_file_that_vanished_between_two_ranges_nothing_is_taken(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(REPORT)
    (there,) = input_files.list_work([str(tmp_path / "a.log")])
    gone = there._replace(file=replace(there.file, path=str(tmp_path / "gone.log")))
    lake = Lake(str(tmp_path / "lake"))
    lake.create_tables()
    for limit in (MAX_LOCAL_ROWS, 0):
        output = TaskOutput(lake, "batch")
        output.run_tasks(spark, [there, gone])
        changes = FactChanges(lambda: spark, lake, input_files.IngestPlan([there]), output, "batch", limit)
        assert changes.build(1) is not None
        assert (changes.counts.files, changes.counts.sightings) == (0, 0)
        assert [uri for uri, _ in changes.faults] == [there.file.uri]


def test_a_line_too_long_for_text_is_told_and_the_rest_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "MAX_LINE_BYTES", 1 << 20)
    log = tmp_path / "a.log"
    log.write_bytes(REPORT + b"x" * (1 << 21) + b"\n" + OTHER)
    (tmp_path / "b.log").write_bytes(REPORT + b"x" * (1 << 19) + b"\n" * 3 + b"y" * (1 << 19))
    found = _read(tmp_path, 1 << 21)
    assert {(row["uri"], row["fault"]) for row in found if row["fault"]} == {(str(log), tasks.LONG_LINE_FAULT)}
    assert sum(not row["fault"] for row in found) == 3


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 10**10), st.booleans()), min_size=1, max_size=9),
    st.integers(1, 40),
    st.none() | st.integers(1 << 24, 1 << 30),
)
def test_every_byte_is_in_one_range(sizes: list[tuple[int, bool]], cores: int, unit: int | None) -> None:
    work_list = []
    for number, (size, is_known) in enumerate(sizes):
        known = KnownDocument(str(number), min(number << 20, size), "", "", 0, 0, 1, str(number)) if is_known else None
        listed = file_listing.ListedFile(str(number), str(number), size, 0.0)
        work_list.append(input_files.FileWork(listed, CiRun(), known))
    ranges: dict[str, list[input_files.WorkUnit]] = {}
    for portion in input_files.pack_units(work_list, cores, unit):
        for one in tasks.unpack_units(portion):
            ranges.setdefault(one.uri, []).append(one)
    for work in work_list:
        mine = sorted(ranges[work.file.uri], key=attrgetter("start"))
        assert [one.start for one in mine] == [work.start, *(one.end for one in mine[:-1])]
        assert mine[-1].end is None
        assert all(one.start <= max(work.start, work.file.size - 1) for one in mine)
        assert {one.is_range for one in mine} == {len(mine) > 1}
        assert {one.first_start for one in mine} == {work.start}


def test_memory_of_lines_is_read_as_lines_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "MAX_LINE_BYTES", 10_000)
    for length in (9_000, 12_000):
        for size in (512, 4096, 20_000):
            text = b"short\n" * 3000 + b"x" * length + b"\n" + b"short\n" * 3000
            read, into = tasks.LineLengthFile(BytesIO(text)), tasks.LineLengthFile(BytesIO(text))
            while read.read(size):
                pass
            while into.readinto(bytearray(size)):
                pass
            assert into.has_long_line == read.has_long_line == (length > 10_000)


def _read(folder: Path, unit: int) -> list[dict[str, Any]]:
    """The rows of a task that reads a folder."""
    units = [one for work in input_files.list_work([str(folder)]) for _, one in input_files.split_work(work, unit)]
    return _task_rows(folder.parent / f"{folder.name}-lake", units)


def _task_rows(root: Path, units: list[input_files.WorkUnit]) -> list[dict[str, Any]]:
    """The sightings and faults of a task, which are the same in files and returned."""
    found, facts = [], []
    for limit in (0, task_output.MAX_RETURNED_ROWS):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(task_output, "MAX_RETURNED_ROWS", limit)
            result = task_output.write_task_output(str(root), "batch", tasks.UnitReader("batch").read_units(units))
        output = TaskOutput(Lake(str(root)), "batch")
        output.results.append(result)
        documents = {content.document for content in result.contents}
        rows = [*output.rows_of(documents).to_pylist(), *output.deferred(documents).to_pylist()]
        returned = [table for table, _ in output.returned_reports]
        digests = [row["digest"] for table in (*output.written_reports(), *returned) for row in table.to_pylist()]
        assert sorted(digests) == sorted({row["report"] for row in rows})
        assert bool(limit and rows) == bool(output.report_facts)
        facts.append(output.report_facts.keys())
        faults = [{"uri": fault.uri, "fault": fault.what, "unopened": fault.unopened} for fault in output.faults]
        found.append([*({"fault": None, "unopened": None} | row for row in rows), *faults])
    assert sorted(found[0], key=str) == sorted(found[1], key=str)
    assert facts[1] == {row["report"] for row in found[1] if not row["fault"]}
    return found[1]


def test_a_fault_in_one_file_is_a_row_and_the_next_one_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.log", "b.log", "c.log"):
        (tmp_path / name).write_bytes(REPORT)
    todo = [one for work in input_files.list_work([str(tmp_path)]) for _, one in input_files.split_work(work)]
    (tmp_path / "a.log").unlink()
    part, error = files.open_range, ValueError("nobody thought of this")

    def failing(raw: Any, uri: str, *args: Any) -> Any:
        if uri.endswith("b.log"):
            raise error
        return part(raw, uri, *args)

    monkeypatch.setattr(files, "open_range", failing)
    found = _task_rows(tmp_path / "lake", todo)
    told = [(Path(row["uri"]).name, row["fault"], row["unopened"]) for row in found]
    assert sorted(told, key=str) == [
        ("a.log", "no such file or directory", True),
        ("b.log", tasks.fault_text(unexpected_fault(error, "")), False),
        ("c.log", None, None),
    ]


def test_what_a_range_has_shown_before_a_fault_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.log").write_bytes(REPORT * 3)
    ((_, whole),) = input_files.split_work(next(input_files.list_work([str(tmp_path)])))

    error = ValueError("nobody thought of this")

    def failing(documents: Any) -> Any:
        yield from islice(api.read_opened_documents(documents), 2)
        raise error

    monkeypatch.setattr(tasks, "read_opened_documents", failing)
    found = _task_rows(tmp_path / "lake", [whole._replace(is_range=True)])
    assert [row["fault"] for row in found] == [None, None, tasks.fault_text(unexpected_fault(error, ""))]


@pytest.mark.long
def test_tasks_see_what_a_scan_sees_wherever_files_are_cut(long: Path, cases: Path) -> None:
    for folder, unit in ((long.parent, RANGE), (cases, input_files.MIN_UNIT_BYTES)):
        wanted = expected([*folder.rglob("*.log")])
        found = _read(folder, unit)
        told = sorted((r["uri"], r["offset"], r["lane"] or "", r["fingerprint"]) for r in found)
        assert told == [(s.uri, s.span.offset, s.span.stream or "", s.verdict.fingerprint) for s in wanted]


def test_text_that_no_table_can_hold_is_written_as_far_as_it_goes(spark: Any, tmp_path: Path) -> None:
    line = REPORT.decode().replace("\n", "\\n").replace('"', '\\"').replace("\t", "\\t")
    name = "\\ud800"
    (tmp_path / "a.log").write_text(f'{{"log": "{line.replace("main.", "main" + name + ".", 1)}"}}\n')
    summary = taken(spark, tmp_path / "lake", [tmp_path / "a.log"])
    assert summary.rejects == ()


# -- run metadata, functions, formats --------------------------------------------------------------


def test_runs_days_and_tests_are_kept(spark: Any, tmp_path: Path) -> None:
    for day, run in ((1, "a"), (2, "b"), (30, "c")):
        folder = tmp_path / "logs" / run
        folder.mkdir(parents=True)
        (folder / "x.log").write_bytes(b"=== RUN   TestCart\n" + REPORT)
        when = datetime(2026, 3, day, tzinfo=UTC)
        taken(spark, tmp_path / "lake", [folder], run_of=lambda _, r=run, t=when: CiRun("shop", run=r, time=t))
    (race,) = queries.list_races(Lake(str(tmp_path / "lake")))
    assert (race["sightings"], race["runs"], race["repos"]) == (3, ["c", "b", "a"], ["shop"])
    assert [state["status"] for state in race["history"]] == ["new", "quiet", "returned"]
    assert race["first_seen"].startswith("2026-03-01")


def test_functions_on_frames_give_the_tables(spark: Any, cases: Path, tmp_path: Path) -> None:
    seen = spark_module.read(spark, [str(cases / "kcsan")]).persist()
    races = spark_module.races(seen).persist()
    taken(spark, tmp_path / "lake", [cases / "kcsan"])
    tables = content(tmp_path / "lake")
    assert sorted(map(str, races.toArrow().to_pylist())) == tables["races"] != []
    assert spark_module.families(races).count() == len(tables["families"])
    assert spark_module.sightings(seen).count() == len(tables["sightings"])
    assert spark_module.distinct_reports(seen).count() == len(tables["reports"])


def test_the_format_gives_reports_as_nested_columns(spark: Any) -> None:
    spark_module.register(spark)
    frame = spark.read.format("deadheat").load(str(SAMPLES))
    wanted = [s for path in SAMPLES.rglob("*") if path.is_file() for s in scan_text(path.read_bytes(), diagnose=False)]
    told = frame.selectExpr("title", "accesses[0].site.function as f", "accesses[0].address as a")
    found = sorted((r.title, r.f, r.a) for r in told.collect())
    assert found == sorted(
        (s.verdict.title, s.report.accesses[0].site.function, s.report.accesses[0].address)
        for s in wanted
        if s.report.accesses[0].site
    )


def test_the_format_is_read_a_partition_at_a_time() -> None:
    reader: Any = tasks.DeadheatSource({"path": str(SAMPLES)}).reader(spark_schema(tasks.SOURCE_SCHEMA))
    found = [row for partition in reader.partitions() for batch in reader.read(partition) for row in batch.to_pylist()]
    wanted = [s for path in SAMPLES.rglob("*.*") for s in scan_text(path.read_bytes(), str(path), diagnose=False)]
    assert sorted(row["title"] for row in found) == sorted(s.verdict.title for s in wanted) != []
    with pytest.raises(DeadheatError, match="no path"):
        tasks.DeadheatSource({}).reader(spark_schema(tasks.SOURCE_SCHEMA))


@pytest.mark.parametrize(("folder", "wanted"), [("short", "true"), ("long" * 20, None)])
def test_java_and_python_talk_over_sockets_that_nobody_else_sees(
    monkeypatch: pytest.MonkeyPatch, folder: str, wanted: str | None
) -> None:
    assert stat.S_IMODE(Path(shipping.package_archive()).parent.stat().st_mode) == 0o700
    monkeypatch.setattr(session, "temporary_folder", lambda: folder)
    chosen = session._local_settings(is_local=True, small=False)
    assert chosen.get("spark.python.unix.domain.socket.enabled") == wanted
    assert chosen.get("spark.python.unix.domain.socket.dir") == (wanted and folder)


def test_the_package_is_packed_for_executors() -> None:
    with zipfile.ZipFile(shipping.package_archive()) as archive:
        names = archive.namelist()
    assert {"deadheat/__init__.py", "deadheat/spark/tasks.py"} <= {*names}
    assert not [name for name in names if name.endswith(".pyc")]


def test_duckdb_and_polars_read_the_lake(lake: Path) -> None:
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    opened = Lake(str(lake))
    frame = polars.read_delta(str(lake / "races"))
    assert frame.height == opened.row_count("races")
    assert frame["sightings"].sum() == opened.row_count("sightings")
    reports = polars.read_delta(str(lake / "reports"))
    assert reports["accesses"].list.len().max() >= 2
    # without its own extension for Delta, which it would have to download
    table = opened.delta_table("reports").to_pyarrow_dataset()
    base = duckdb.connect()
    base.register("reports", table)
    asked = "select count(*), max(accesses[1].site.line) from reports"
    count, line = base.execute(asked).fetchone()
    assert count == opened.row_count("reports")
    assert line > 0


# -- nothing lost, nothing twice -------------------------------------------------------------------

# before the decision, on the way, and between facts and races; `test_lake.py` has all stages of a change
STAGES = ("read", "sightings", "facts", "races")


class KilledError(Exception):
    pass


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("few")
    for number, data in enumerate((REPORT, OTHER, REPORT + OTHER)):
        (folder / f"{number}.log").write_bytes(data)
    return folder


@pytest.fixture(scope="module")
def undisturbed(spark: Any, few: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("lake") / "undisturbed"
    taken(spark, root, [few])
    return root


@pytest.mark.parametrize("stage", STAGES)
def test_a_batch_that_was_cut_off_lands_once(
    spark: Any, few: Path, undisturbed: Path, tmp_path: Path, stage: str
) -> None:
    def killed(reached: str) -> None:
        if reached == stage:
            raise KilledError

    with pytest.raises(KilledError):
        taken(spark, tmp_path / "lake", [few], on_stage=killed)
    taken(spark, tmp_path / "lake", [few])
    assert content(tmp_path / "lake") == content(undisturbed)


INGEST = """
import json, os, signal, sys
from deadheat.lake.documents import KnownDocument
from deadheat.lake.tables import Lake
from deadheat.spark import ingest, session
def passed(stage):
    print(stage, flush=True)
    if stage == sys.argv[3]:
        os.killpg(0, signal.SIGKILL)
start = lambda small: session.start_session(sys.argv[4], json.loads(sys.argv[5]))
summary = ingest.ingest_files(start, Lake(sys.argv[1]), [sys.argv[2]], ingest.IngestOptions(on_stage=passed))
print(summary.sightings)
"""


def ran(*args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", INGEST, *map(str, args), json.dumps(SETTINGS)],
        capture_output=True,
        text=True,
        start_new_session=True,
        check=False,
    )


def test_a_killed_process_leaves_what_the_next_one_finishes(
    spark: Any, few: Path, undisturbed: Path, tmp_path: Path
) -> None:
    # it has one worker only, and has read everything
    done = ran(tmp_path / "lake", few, "decided", "local[1]")
    assert done.returncode == -signal.SIGKILL, done.stderr
    root = str(tmp_path / "lake")
    assert Lake(root).row_count("sightings") == 0
    done = ran(tmp_path / "lake", few, "ingests", "local[1]")
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert Lake(root).row_count("ingests") == 1
    assert taken(spark, tmp_path / "lake", [few]).files == 0, "there was nothing left to read"
    assert content(tmp_path / "lake") == content(undisturbed)


def test_remote_documents_are_read(spark: Any, few: Path, undisturbed: Path, tmp_path: Path) -> None:
    lake = Lake(str(tmp_path / "lake"))
    ingesting.ingest_files(lambda small: spark, lake, [f"local://{few}"])
    found = sightings(tmp_path / "lake")
    assert [file_listing.is_remote(s.uri) for s in found] == [True] * 4
    assert [s.report for s in found] == [s.report for s in sightings(undisturbed)]
