"""`make eval`: groups the labelled reports by every rule and writes the scores into docs/explanation/identity.md."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import TYPE_CHECKING

from corpus import store
from eval import rules
from eval.confusions import worst
from eval.items import VERSION, Item, damaged, load
from eval.page import EXPLANATION, folded_block, replace_region
from eval.score import grouped, score
from tests.damage import DAMAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eval.items import Part, Recording

    Group = tuple[str, list[Item], set[str] | None]  # a title, its reports, the kinds that count

FEWEST = 10  # reports of a kind that has a row of its own
# this variant renames the racing functions, which a single report cannot show: it has a column of its own
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
    print("\n".join(_largest_losses(recordings, wanted[0])))
    if part == "open" and not (args.dry or args.only or args.no_damage):
        replace_region(EXPLANATION / "identity.md", "make eval", text)
    return 0


def _heading(recordings: Sequence[Recording], part: Part) -> str:
    items = [item for one in recordings for item in one.items]
    programs = {item.uri.partition("/")[0] for item in items}
    return (
        f"{TITLES[part]}: {len(programs)} programs, {len({i.race for i in items})} races,"
        f" {len(recordings)} recordings, {len(items)} reports.\n"
    )


def _tables(recordings: Sequence[Recording], wanted: Sequence[rules.Rule], *, damage: bool) -> Iterator[str]:
    """Precision and recall of every rule on every group of reports; then each kind of variant by itself."""
    items = [item for one in recordings for item in one.items]
    groups: list[Group] = [
        ("variants", [item for item in items if item.kind != BEYOND], None),
        (f"variants with `{BEYOND}`", items, None),
    ]
    if damage:
        groups += _damaged_groups([one for one in recordings if one.kind != BEYOND])
    yield f"| rule | {' | '.join(title for title, _, _ in groups)} |\n|---|{'---|' * len(groups)}"
    for rule in wanted:
        cells = [score(part, rule, kinds) for _, part, kinds in groups]
        shown = " | ".join(f"{one.precision:.4f} / {one.recall:.4f}" for one in cells)
        yield f"| {rules.title(rule)} | {shown} |"
    yield "\n" + folded_block(f"Kinds of variants with {FEWEST} reports or more", "\n".join(_kinds(items, wanted)))


def _kinds(items: Sequence[Item], wanted: Sequence[rules.Rule]) -> Iterator[str]:
    """Each kind with the plain recordings, averaged over the reports of the kind."""
    yield "| kind | reports | precision | recall | F1 | best other rule, F1 |\n|---|---|---|---|---|---|"
    counts = Counter(item.kind for item in items)
    for kind in sorted((k for k in counts if counts[k] >= FEWEST), key=lambda kind: (kind != VERSION, kind)):
        part = [item for item in items if item.kind in (VERSION, kind)]
        own = score(part, wanted[0], {kind})
        others = [(score(part, rule, {kind}).f1, rules.title(rule).partition(":")[0]) for rule in wanted[1:]]
        f1, name = max(others, default=(0.0, "none"))
        yield f"| {kind} | {own.reports} | {own.precision:.4f} | {own.recall:.4f} | {own.f1:.4f} | {name} {f1:.4f} |"


def _damaged_groups(recordings: Sequence[Recording]) -> Iterator[Group]:
    """Each recording under one damage, together with the plain recordings as they are."""
    clean = [item for one in recordings if one.kind == VERSION for item in one.items]
    for title, lossy in (("damage without loss", False), ("damage with loss", True)):
        hurt = damaged(recordings, [d for d in DAMAGES if d.lossy == lossy], SEED)
        kinds = {item.kind for item in hurt}
        found = [item for item in hurt if item.sighting]
        yield f"{title} ({len(hurt)} reports)", [*clean, *hurt], kinds
        if lossy:
            yield f"{title}, the {len(found)} reports that are found", [*clean, *found], kinds


def _largest_losses(recordings: Sequence[Recording], rule: rules.Rule) -> Iterator[str]:
    """The ten races whose reports lack most precision and recall."""
    items = [item for one in recordings for item in one.items if item.kind != BEYOND]
    yield "\n| race | reports lost | groups |\n|---|---|---|"
    yield from worst(items, grouped(items, rule))


if __name__ == "__main__":
    sys.exit(main())
