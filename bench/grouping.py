"""`python -m bench.grouping`: time to group a million fingerprints into races, without Spark."""

from __future__ import annotations

import argparse
import random
import time
from typing import TYPE_CHECKING

from bench import logs
from deadheat.api import scan_text
from deadheat.grouping import races
from deadheat.grouping.document import DocumentGrouping
from deadheat.grouping.fingerprint import hex_digest
from deadheat.grouping.keys import grouping_key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.grouping.keys import GroupingKey

_SHAPE_COUNT = 2_000
# every tenth report is about the same object as the one before, every twentieth repeats an earlier race
_REPORTS_PER_DOCUMENT, _LINK_INTERVAL, _REPEAT_INTERVAL = 100, 10, 20


def generate_keys(count: int) -> Iterator[GroupingKey]:
    """Grouping keys of reports, nearly all with a distinct fingerprint."""
    shapes = [
        grouping_key_of(scan_text(logs.generate_report(number), diagnose=False)[0].report)
        for number in range(_SHAPE_COUNT)
    ]
    rng = random.Random(logs.SEED)
    for number in range(count):
        repeated = rng.randrange(number) if number and number % _REPEAT_INTERVAL == 0 else number
        shape = shapes[(number - _is_linked(number)) % _SHAPE_COUNT]
        yield shape._replace(fingerprint=hex_digest(str(repeated)))


def _is_linked(number: int) -> bool:
    """Whether this report is about the same object as the one before."""
    return number % _LINK_INTERVAL == 1


def group_documents(keys: list[GroupingKey]) -> Iterator[DocumentGrouping]:
    for first in range(0, len(keys), _REPORTS_PER_DOCUMENT):
        document = DocumentGrouping()
        for at, key in enumerate(keys[first : first + _REPORTS_PER_DOCUMENT]):
            address = first + at - _is_linked(first + at)
            document.add_report(key, "log", 0xC000000000 + 64 * address)
        yield document


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.grouping", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000)
    count = parser.parse_args().count
    keys = list(generate_keys(count))
    began = time.perf_counter()
    facts = races.empty_facts()
    for document in group_documents(keys):
        facts.add(document.group_reports()[1])
    grouped = time.perf_counter()
    ids = races.race_ids(facts)
    done = time.perf_counter()
    print("| what | seconds | against |\n|---|---|---|")
    print(f"| {count} reports to {len(facts.variants)} variants | {grouped - began:.1f} | |")
    print(f"| these to {len({*ids.values()})} races | {done - grouped:.1f} | |")
    print(f"| both | {done - began:.1f} | limit 60 s |")


if __name__ == "__main__":
    main()
