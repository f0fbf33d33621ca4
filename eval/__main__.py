"""`make eval`: groups the labelled reports by every rule and writes the scores into docs/identity.md."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from corpus import store
from eval import rules
from eval.confusions import worst
from eval.items import VERSION, Item, damaged, load
from eval.page import write
from eval.score import Score, grouped, score
from tests.damage import DAMAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eval.items import Part, Recording

PAGE = Path(__file__).resolve().parent.parent / "docs" / "identity.md"
# the racing functions themselves get other names: no report alone can tell, so it is shown apart
BEYOND = "extracted"
SEED = 20240501
TITLES = {
    "open": "The open half",
    "aside": "The set aside half",
    **{name: store.TITLES[name] for name in store.HELD_OUT},
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m eval", description=__doc__)
    parser.add_argument("--part", choices=TITLES, default="open", help="a half of the main set, or a held-out set")
    parser.add_argument("--no-damage", action="store_true", help="leave the damaged texts out")
    parser.add_argument("--only", action="store_true", help="only deadheat's own rule")
    parser.add_argument("--dry", action="store_true", help="print, and leave the page as it is")
    args = parser.parse_args()
    part: Part = args.part
    recordings = load(part)
    wanted = rules.RULES[:1] if args.only else rules.RULES
    lines = list(_tables(recordings, wanted, damage=not args.no_damage))
    text = "\n".join([_heading(recordings, part), *lines])
    print(text)
    if part == "open" and not (args.dry or args.only or args.no_damage):
        write(PAGE, text)
    return 0


def _heading(recordings: Sequence[Recording], part: Part) -> str:
    items = [item for one in recordings for item in one.items]
    programs = {item.uri.partition("/")[0] for item in items}
    return (
        f"{TITLES[part]}: {len(programs)} programs, {len({i.race for i in items})} races,"
        f" {len(recordings)} recordings, {len(items)} reports.\n"
    )


def _tables(recordings: Sequence[Recording], wanted: Sequence[rules.Rule], *, damage: bool) -> Iterator[str]:
    items = [item for one in recordings for item in one.items]
    every = [item for item in items if item.kind != BEYOND]
    yield "### All kinds\n"
    yield from _overall([(rule, score(every, rule)) for rule in wanted])
    yield f"\nWith `{BEYOND}` among them:\n"
    yield from _overall([(rule, score(items, rule)) for rule in wanted])
    yield "\n### Kind by kind\n"
    yield from _kinds(items, wanted)
    if damage:
        yield "\n### Damaged text\n"
        yield from _damages([one for one in recordings if one.kind != BEYOND], wanted)
    yield "\n### The worst ten\n"
    yield "Reports lost is the sum of what its reports lack in precision and in recall.\n"
    yield "| race | lost | what became of it |\n|---|---|---|"
    yield from worst(every, grouped(every, wanted[0]))


def _cells(score: Score) -> str:
    return f"{score.precision:.4f} | {score.recall:.4f} | {score.f1:.4f}"


def _overall(scores: Sequence[tuple[rules.Rule, Score]]) -> Iterator[str]:
    yield "| rule | precision | recall | F1 |\n|---|---|---|---|"
    for rule, one in scores:
        yield f"| {rules.title(rule)} | {_cells(one)} |"


def _kinds(items: Sequence[Item], wanted: Sequence[rules.Rule]) -> Iterator[str]:
    """Each kind against the plain recordings, averaged over the reports of the kind."""
    others = wanted[1:]
    head = "".join(f" {rules.title(rule).partition(':')[0]} |" for rule in others)
    yield f"| kind | reports | precision | recall | F1 |{head}"
    yield "|---|---|---|---|---|" + "---|" * len(others)
    for kind in sorted({item.kind for item in items}, key=lambda kind: (kind != VERSION, kind)):
        part = [item for item in items if item.kind in (VERSION, kind)]
        own = score(part, wanted[0], {kind})
        rest = "".join(f" {score(part, rule, {kind}).f1:.4f} |" for rule in others)
        yield f"| {kind} | {own.reports} | {_cells(own)} |{rest}"


def _damages(recordings: Sequence[Recording], wanted: Sequence[rules.Rule]) -> Iterator[str]:
    """Each recording under one damage, together with the plain recordings as they are."""
    clean = [item for one in recordings if one.kind == VERSION for item in one.items]
    for what, lossy in (("nothing of the report is gone", False), ("parts are gone", True)):
        hurt = damaged(recordings, [d for d in DAMAGES if d.lossy == lossy], SEED)
        kinds = {item.kind for item in hurt}
        left = [item for item in hurt if item.sighting]
        lost = len(hurt) - len(left)
        yield f"Damage by which {what}: {len(hurt)} reports, {lost} of them not found.\n"
        yield from _overall([(rule, score([*clean, *hurt], rule, kinds)) for rule in wanted])
        yield ""
        if lossy:
            yield f"The same, for the {len(left)} reports that are found:\n"
            yield from _overall([(rule, score([*clean, *left], rule, kinds)) for rule in wanted])
            yield ""


if __name__ == "__main__":
    sys.exit(main())
