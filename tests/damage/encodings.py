"""Other encodings, and stray bytes."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from tests.damage.registry import add, add_bytes, damage

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

INVALID = ("\udcff", "\udcfe", "\udcc0", "\udc80")
NULS = ("\0",)
# No backspace and no escape, which change the meaning of the text around them.
CONTROLS = ("\x01", "\x02", "\x07", "\x0b", "\x0c", "\x0f", "\x1c", "\x1f", "\x7f")


def _insert_strays(text: str, rng: random.Random, strays: Sequence[str]) -> str:
    out, at = [], 0
    while at < len(text):
        step = rng.randrange(60, 180)
        out.append(text[at : at + step])
        at += step
        if at < len(text):
            out.append(rng.choice(strays))
    return "".join(out)


def _add_strays() -> None:
    kinds = {"invalid-utf-8": INVALID, "nuls": NULS, "controls": CONTROLS}
    kinds["bytes"] = INVALID + NULS + CONTROLS
    for name, strays in kinds.items():
        add(f"stray-{name}", partial(_insert_strays, strays=strays))


_add_strays()


def _encode(text: str, rng: random.Random, encoding: str, bom: bytes) -> bytes:
    return bom + text.encode(encoding, "surrogatepass")


add_bytes("utf-16-le-bom", partial(_encode, encoding="utf-16-le", bom=b"\xff\xfe"))
add_bytes("utf-16-be-bom", partial(_encode, encoding="utf-16-be", bom=b"\xfe\xff"))
add_bytes("utf-16-le-no-bom", partial(_encode, encoding="utf-16-le", bom=b""))


@damage("utf-8-bom")
def _utf_8_bom(text: str, rng: random.Random) -> str:
    return f"\ufeff{text}"


@damage("mojibake")
def _mojibake(text: str, rng: random.Random) -> str:
    def misread(match: re.Match[str]) -> str:
        return match[0].encode("utf-8", "surrogateescape").decode("latin-1")

    return re.sub(r"[^\x00-\x7f]+", misread, text)


@damage("swallowed-asterisks")
def _swallowed_asterisks(text: str, rng: random.Random) -> str:
    return text.replace("(*", "(_")
