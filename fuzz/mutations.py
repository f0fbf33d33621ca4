"""Mutations of the structure of an input: its lines, or the values of JSON."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    Mutation = Callable[[bytes, random.Random, Sequence[bytes]], bytes]

# what programs that forward logs put before each line
_PREFIXES = (
    b"2024-05-01T12:00:00.123456789Z ", b"[pod/cart-1/app] ", b"web_1  | ", b"> ", b"    ", b"\t", b"12: ",
    b"stderr F ",
    b"2024-05-01T12:00:00.1Z stderr F ", b"\x1b[31m", b"#12 0.345 ", b"level=info msg=", b"+ ", b"// ",
)  # fmt: skip
_SUFFIXES = (b"\r", b" ", b"\x1b[0m", b" {pod=x}", b"\\n", b"|", b",", b"=")
_ODD_VALUES: tuple[Any, ...] = (

    {"name": "x"}, "/", "-1",
)  # fmt: skip


def mutate_lines(data: bytes, rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Deletes, repeats, moves, joins, wraps or splices some lines."""
    lines = data.split(b"\n")
    low = rng.randrange(len(lines))
    high = min(len(lines), low + rng.choice((1, 1, 1, 2, 3, 8)))
    match rng.randrange(9):
        case 0:
            del lines[low:high]
        case 1:
            lines[low:low] = lines[low:high]
        case 2:
            other = rng.randrange(len(lines))
            moved = lines[low:high]
            del lines[low:high]
            lines[other:other] = moved
        case 3:
            lines[low:high] = [b"".join(lines[low:high])]
        case 4 if seeds:
            other_lines = rng.choice(seeds).split(b"\n")
            start = rng.randrange(len(other_lines))
            lines[low:high] = other_lines[start : start + rng.choice((1, 2, 5, 20))]
        case 5:
            prefix = rng.choice(_PREFIXES)
            low, high = rng.choice(((low, high), (0, len(lines))))
            lines[low:high] = [prefix + line for line in lines[low:high]]
        case 6:
            suffix = rng.choice(_SUFFIXES)
            low, high = rng.choice(((low, high), (0, len(lines))))
            lines[low:high] = [line + suffix for line in lines[low:high]]
        case 7:
            width = rng.choice((1, 8, 40, 72, 80))
            lines[low:high] = [line[at : at + width] for line in lines[low:high] for at in range(0, len(line), width)]
        case _:
            return _as_records(lines, rng.randrange(4))
    return b"\n".join(lines)


def _as_records(lines: list[bytes], kind: int) -> bytes:
    """The lines as records of JSON, or as one value."""
    texts = [line.decode("utf-8", "replace") for line in lines]
    match kind:
        case 0:
            return "\n".join(json.dumps({"log": f"{text}\n", "stream": "stderr"}) for text in texts).encode()
        case 1:
            return json.dumps({"title": "race", "body": "\n".join(texts)}).encode()
        case 2:
            return b"\n".join(f"level=info msg={json.dumps(text)}".encode() for text in texts)
        case _:
            return b"\n".join(f'"{number}","{text}"'.encode() for number, text in enumerate(texts))


def mutate_json(data: bytes, rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Changes one value of a JSON text, or of one line of it; other text is returned unchanged."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    for start, end in ((0, len(lines)), (at, at + 1)):
        try:
            value = json.loads(b"\n".join(lines[start:end]))
            for _ in range(rng.choice((1, 1, 2))):
                _change_value(value, rng)
            text = json.dumps(value)
        except (ValueError, RecursionError):
            continue
        lines[start:end] = [text.encode()]
        return b"\n".join(lines)
    return data


def _change_value(value: Any, rng: random.Random) -> None:
    """Removes, replaces or copies one value in an object or list."""
    places = [*_places(value)]
    if not places:
        return
    container, key = rng.choice(places)
    match rng.randrange(5):
        case 0:
            del container[key]
        case 1 | 2:
            container[key] = copy.deepcopy(rng.choice(_ODD_VALUES))
        case 3 if isinstance(container, list):
            container.insert(key, container[key])
        case _:
            other, other_key = rng.choice(places)
            container[key] = copy.deepcopy(other[other_key])


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every value below this one: what contains it, and its key there."""
    places: list[tuple[Any, Any]] = []
    pending = [value]
    while pending:
        container = pending.pop()
        keys = (
            list(container)
            if isinstance(container, dict)
            else range(len(container))
            if isinstance(container, list)
            else ()
        )
        places += [(container, key) for key in keys]
        pending += [container[key] for key in keys]
    return places
