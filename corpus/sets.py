"""The fresh sets, each by an author who did not know the rules, in the order of their making."""

from __future__ import annotations

FRESH = ("fresh", *(f"fresh{number}" for number in range(2, 11)))
