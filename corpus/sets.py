"""The fresh sets, each by an author who did not know the rules, in the order of their making."""

from __future__ import annotations

_ORDINALS = ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"]
FRESH = ("fresh", *(f"fresh{number}" for number in range(2, 2 + len(_ORDINALS))))
TITLES = {"fresh": "The fresh set"} | {
    name: f"The {which} fresh set" for name, which in zip(FRESH[1:], _ORDINALS, strict=True)
}
