"""The table of races of real projects that `reproduce`, `verify` and `bisect` were run on.

    python -m eval.verified_fixes         print the table
    python -m eval.verified_fixes --page  write it into docs/explanation/verification.md

`verified_fixes.jsonl` has facts: repository, fix, test, and what was measured. The code is in the repositories only.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from deadheat.printable import format_json
from deadheat.verification.campaign_report import format_share
from eval.page import EXPLANATION, replace_region

FACTS = Path(__file__).with_name("verified_fixes.jsonl")
COMMAND = "python -m eval.verified_fixes"

JsonDict = dict[str, Any]


def read_facts() -> list[JsonDict]:
    return [json.loads(line) for line in FACTS.read_text(encoding="utf-8").splitlines()]


def table_lines(rows: list[JsonDict]) -> list[str]:
    """A row per race, in the order of repositories."""
    lines = [
        "| repository, fix | race | rate | verdict | old | new | left | s | bisect |",
        "|---|---|--:|---|--:|--:|--:|--:|---|",
    ]
    for row in sorted(rows, key=lambda row: (row["repo"], row["fix"], row["race"])):
        check, trials = row["verify"], row.get("reproduce")
        rate = format_share(trials["sightings"] / trials["runs"]) if trials and trials["runs"] else ""
        tests = ", its test" if row["tests_from_fix"] else ""
        left = "" if check["remaining_bound"] is None else format_share(check["remaining_bound"])
        cells = (
            f"{row['repo']} `{row['fix'][:10]}`{tests}",
            f"`{row['title']}`",
            rate,
            check["verdict"],
            f"{check['old_sightings']} of {check['old_runs']}",
            f"{check['new_sightings']} of {check['new_runs']}",
            left,
            str(check["seconds"]),
            _bisect_cell(row.get("bisect")),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _bisect_cell(search: JsonDict | None) -> str:
    if search is None:
        return ""
    if not search["is_right"]:
        return str(search["verdict"])
    return f"found in {search['commits']} commits, {search['trials']} trials, {search['builds']} builds"


def count_results(rows: list[JsonDict]) -> JsonDict:
    """How many races had which result."""
    searches = [row["bisect"] for row in rows if "bisect" in row]
    fixed = [row for row in rows if row["verify"]["verdict"] == "fixed"]
    return {
        "races": len(rows),
        "fixed": len(fixed),
        "repositories_with_a_fixed_race": len({row["repo"] for row in fixed}),
        "bisections": len(searches),
        "bisections_that_found_the_fix": sum(search["is_right"] for search in searches),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--page", action="store_true", help="write the table into the documentation")
    args = parser.parse_args()
    rows = read_facts()
    text = "\n".join(table_lines(rows))
    print(text)
    print(format_json(count_results(rows), indent=1))
    if args.page:
        replace_region(EXPLANATION / "verification.md", COMMAND, text)


if __name__ == "__main__":
    main()
