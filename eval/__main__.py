"""`make eval`: group the labelled reports by every rule and write the scores into docs/explanation/identity.md."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import TYPE_CHECKING

from corpus import store
from eval import grouping_rules as rules
from eval.labelled_reports import VERSION_ONLY, LabelledReport, damage_reports, load_recordings
from eval.page import EXPLANATION, folded_block, replace_region
from eval.score import group_reports, largest_losses, score_rule
from tests.damage import DAMAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eval.labelled_reports import Part, Recording

    Group = tuple[str, list[LabelledReport], set[str] | None]  # title, reports, kinds that are scored

MIN_REPORTS = 10  # of a kind that has a table row
# this kind renames the racing functions, which a report alone cannot show; it is scored in a separate column
RENAMED_FUNCTIONS = "extracted"
SEED = 20240501
TITLES = {
    "open": "The open half",
    "aside": "The set aside half",
    **{name: store.TITLES[name] for name in store.HELD_OUT},
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m eval", description=__doc__)
    parser.add_argument(
        "--part", choices=TITLES, default="open", help="half of the main set, or held-out set (default: open)"
    )
    parser.add_argument("--no-damage", action="store_true", help="skip the damaged texts")
    parser.add_argument("--only", action="store_true", help="score only deadheat's rule")
    parser.add_argument("--dry", action="store_true", help="print only; do not change the page")
    args = parser.parse_args()
    part: Part = args.part
    recordings = load_recordings(part)
    chosen_rules = rules.RULES[:1] if args.only else rules.RULES
    lines = list(_score_tables(recordings, chosen_rules, damage=not args.no_damage))
    text = "\n".join([_part_heading(recordings, part), *lines])
    print(text)
    print("\n".join(_loss_table(recordings, chosen_rules[0])))
    if part == "open" and not (args.dry or args.only or args.no_damage):
        replace_region(EXPLANATION / "identity.md", "make eval", text)
    return 0


def _part_heading(recordings: Sequence[Recording], part: Part) -> str:
    items = [item for one in recordings for item in one.items]
    programs = {item.uri.partition("/")[0] for item in items}
    return (
        f"{TITLES[part]}: {len(programs)} programs, {len({i.race for i in items})} races,"
        f" {len(recordings)} recordings, {len(items)} reports.\n"
    )


def _score_tables(
    recordings: Sequence[Recording], chosen_rules: Sequence[rules.Rule], *, damage: bool
) -> Iterator[str]:
    """Precision and recall of every rule on every group of reports, then for each kind of variant."""
    items = [item for one in recordings for item in one.items]
    groups: list[Group] = [
        ("variants", [item for item in items if item.kind != RENAMED_FUNCTIONS], None),
        (f"variants with `{RENAMED_FUNCTIONS}`", items, None),
    ]
    if damage:
        groups += _damaged_groups([one for one in recordings if one.kind != RENAMED_FUNCTIONS])
    yield f"| rule | {' | '.join(title for title, _, _ in groups)} |\n|---|{'---|' * len(groups)}"
    for rule in chosen_rules:
        cells = [score_rule(part, rule, kinds) for _, part, kinds in groups]
        shown = " | ".join(f"{one.precision:.4f} / {one.recall:.4f}" for one in cells)
        yield f"| {rules.rule_title(rule)} | {shown} |"
    yield "\n" + folded_block(
        f"Kinds of variants with {MIN_REPORTS} reports or more", "\n".join(_kind_table(items, chosen_rules))
    )


def _kind_table(items: Sequence[LabelledReport], chosen_rules: Sequence[rules.Rule]) -> Iterator[str]:
    """Scores of each kind, grouped together with the unchanged recordings."""
    yield "| kind | reports | precision | recall | F1 | best other rule, F1 |\n|---|---|---|---|---|---|"
    counts = Counter(item.kind for item in items)
    for kind in sorted((k for k in counts if counts[k] >= MIN_REPORTS), key=lambda kind: (kind != VERSION_ONLY, kind)):
        part = [item for item in items if item.kind in (VERSION_ONLY, kind)]
        own = score_rule(part, chosen_rules[0], {kind})
        others = [
            (score_rule(part, one, {kind}).f1, rules.rule_title(one).partition(":")[0]) for one in chosen_rules[1:]
        ]
        f1, name = max(others, default=(0.0, "none"))
        yield f"| {kind} | {own.reports} | {own.precision:.4f} | {own.recall:.4f} | {own.f1:.4f} | {name} {f1:.4f} |"


def _damaged_groups(recordings: Sequence[Recording]) -> Iterator[Group]:
    """Each recording with one damage, grouped together with the unchanged recordings."""
    clean = [item for one in recordings if one.kind == VERSION_ONLY for item in one.items]
    for title, lossy in (("damage without loss", False), ("damage with loss", True)):
        damaged = damage_reports(recordings, [d for d in DAMAGES if d.lossy == lossy], SEED)
        kinds = {item.kind for item in damaged}
        still_found = [item for item in damaged if item.sighting]
        yield f"{title} ({len(damaged)} reports)", [*clean, *damaged], kinds
        if lossy:
            yield f"{title}, the {len(still_found)} reports that are found", [*clean, *still_found], kinds


def _loss_table(recordings: Sequence[Recording], rule: rules.Rule) -> Iterator[str]:
    """The ten races with the largest loss of precision and recall."""
    items = [item for one in recordings for item in one.items if item.kind != RENAMED_FUNCTIONS]
    yield "\n| race | reports lost | groups |\n|---|---|---|"
    yield from largest_losses(items, group_reports(items, rule))


if __name__ == "__main__":
    sys.exit(main())
