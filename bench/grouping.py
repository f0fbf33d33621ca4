"""`python -m bench.grouping`: a million fingerprints with their keys to races, in the core's code."""

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

_SHAPES = 2_000
# reports of one document, of how many one is of an object that another one is of, and of how many one is
# of a race that an earlier document has shown
_REPORTS, _LINKED, _AGAIN = 100, 10, 20


def marks(count: int) -> Iterator[GroupingKey]:
    """Marks of so many reports, nearly all with a fingerprint of their own."""
    shapes = [grouping_key_of(scan_text(logs.report(number), diagnose=False)[0].report) for number in range(_SHAPES)]
    rng = random.Random(logs.SEED)
    for number in range(count):
        like = rng.randrange(number) if number and number % _AGAIN == 0 else number
        shape = shapes[(number - _is_linked(number)) % _SHAPES]
        yield shape._replace(fingerprint=hex_digest(str(like)))


def _is_linked(number: int) -> bool:
    """Is this report about the object of the one before it?"""
    return number % _LINKED == 1


def documents(all_marks: list[GroupingKey]) -> Iterator[DocumentGrouping]:
    for first in range(0, len(all_marks), _REPORTS):
        document = DocumentGrouping()
        for at, one in enumerate(all_marks[first : first + _REPORTS]):
            address = first + at - _is_linked(first + at)
            document.add_report(one, "log", 0xC000000000 + 64 * address)
        yield document


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.grouping", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000)
    count = parser.parse_args().count
    known = list(marks(count))
    began = time.perf_counter()
    found = races.empty_facts()
    for document in documents(known):
        found.add(document.group_reports()[1])
    told = time.perf_counter()
    ids = races.race_ids(found)
    done = time.perf_counter()
    print("| what | seconds | against |\n|---|---|---|")
    print(f"| {count} reports to {len(found.variants)} nodes | {told - began:.1f} | |")
    print(f"| these to {len({*ids.values()})} races | {done - told:.1f} | |")
    print(f"| both | {done - began:.1f} | limit 60 s |")


if __name__ == "__main__":
    main()
