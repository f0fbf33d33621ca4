"""Candidate orders for logs with the newest line first, and the choice between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.backwards import Way, time_of
from deadheat.model import Damage, Report
from deadheat.text.stamps import Turn, groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deadheat.reading.machines import Found
    from deadheat.text.lanes import Lanes

    Order = Sequence[int]
    Worth = tuple[int, int, int]

# with all of these, a report is not evidence that its lines are reversed
_DOUBTFUL: Final = {Damage.NO_BANNER, Damage.TRUNCATED, Damage.GLUED}
# orders to try where a record's times are inconclusive; Elasticsearch's comes first
_TURNS: Final = (Turn.TIES, Turn.TOLD, Turn.ALL, Turn.NONE)
_LIKELY: Final = (Turn.TIES, Turn.TOLD)


def orders(texts: Sequence[str], way: Way) -> Iterator[Order]:
    """Yields the reversed order, and one sorted by time only, as many log stores produce."""
    everything = range(len(texts))
    by_time = groups(everything, _times(texts))
    tied = [i for group in reversed(by_time) for i in group]
    if way is Way.TIED:
        yield from (everything, tied)
        return
    yield everything[::-1]
    if len(by_time) < len(texts):
        yield tied


def best(tried: Iterator[list[Found]], way: Way) -> list[Found]:
    """The reports of the order that gave most; empty if the forward order is right."""
    if way is Way.TIED:
        forward, tied = tried
        return tied if worth(tied)[0] and worth(tied) > worth(forward) else []
    found = max(tried, key=worth)
    if way is Way.DOUBTFUL and not worth(found)[0]:
        return []
    return [one for one in found if not {*_damage(one)} >= _DOUBTFUL]


def worth(found: Sequence[Found]) -> Worth:
    """The number of complete reports, less damage, and the number of known frames."""
    whole = sum(Damage.TRUNCATED not in _damage(one) for one in found)
    return whole, -sum(len(_damage(one)) for one in found), sum(map(_places, found))


def settle(lanes: Lanes, read: Callable[[], Sequence[Found]]) -> None:
    """Sets the order in which a record's lines are read; unlikely orders are tried last."""
    tried: dict[Turn, Worth] = {}
    for turn in _TURNS:
        whole, damage, _ = max(tried.values(), default=(0, 0, 0))
        if turn not in _LIKELY and whole and not damage:
            break
        lanes.turn = turn
        tried[turn] = worth(read())
    lanes.turn = max(tried, key=lambda turn: tried[turn])


def marked(found: Found) -> Found:
    """Adds `Damage.REVERSED` to a report."""
    assert isinstance(found.told, Report)
    damage = tuple(sorted({*found.told.damage, Damage.REVERSED}))
    return found._replace(told=found.told._replace(damage=damage))


def _times(texts: Sequence[str]) -> list[str]:
    """The time of each line; a line without one belongs to the line before it."""
    times: list[str] = []
    for text in texts:
        times.append(time_of(text) or (times[-1] if times else ""))
    return times


def _damage(found: Found) -> tuple[Damage, ...]:
    return found.told.damage if isinstance(found.told, Report) else ()


def _places(found: Found) -> int:
    """The number of frames with a function and a line."""
    accesses = found.told.accesses if isinstance(found.told, Report) else ()
    return sum(bool(f.function and f.line) for access in accesses for f in access.stack)
