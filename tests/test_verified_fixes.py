"""The facts about verified fixes of real projects, and their table in the documentation."""

from __future__ import annotations

import re

from deadheat.verification.sequential import FixVerdict
from eval.page import EXPLANATION
from eval.verified_fixes import count_results, read_facts, table_lines


def test_page_has_the_table_of_the_facts() -> None:
    page = (EXPLANATION / "verification.md").read_text(encoding="utf-8")
    assert "\n".join(table_lines(read_facts())) in page


def test_facts_are_complete() -> None:
    for row in read_facts():
        assert re.fullmatch("[0-9a-f]{40} [0-9a-f]{40}", f"{row['fix']} {row['parent']}")
        assert row["verify"]["verdict"] in {verdict.value for verdict in FixVerdict}
        assert row["test"].startswith("Test")


def test_enough_fixes_were_verified() -> None:
    counts = count_results(read_facts())
    assert counts["fixed"] >= 8
    assert counts["repositories_with_a_fixed_race"] >= 4
    assert counts["bisections_that_found_the_fix"] >= 6
