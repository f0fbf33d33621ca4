"""Two maps behind one helper, of which Go 1.27 leaves out who reads them."""

from __future__ import annotations

from itertools import permutations

from tests.test_identity import TITLE, called, ids, report, topped

HIDES = "mapaccess2_faststr", "mapaccess1_faststr"


def of(line: int, at: int) -> str:
    """Both sides' helpers are called on this line: of one of two maps."""
    return called(report(at), "users.Put", "users.Get").replace("x.go:9 ", f"x.go:{line} ")


def shown(line: int, at: int) -> str:
    return topped(of(line, at), HIDES[1])


def hidden(line: int, at: int) -> str:
    """The helper is left out, and who called it with it."""
    text = topped(of(line, at).replace(TITLE, ""), *HIDES)
    head, reader, tail = text.split("\n\n", 2)
    return "\n\n".join([head, reader.partition("  example.com/shop/users.Get")[0].rstrip(), tail])


BEFORE = shown(25, 0xC000) + shown(26, 0xC030)


def test_the_map_of_an_element_is_not_taken_for_the_first() -> None:
    now = hidden(25, 0xD000) + hidden(26, 0xD030) + of(26, 0x9D000)
    found = ids(BEFORE, now)
    assert found[0] == found[2] != found[1] == found[3] == found[4]
    assert len(set(found)) == 2


def test_hidden_twins_ask_by_their_number() -> None:
    now = hidden(25, 0xD000) + hidden(26, 0xD030)
    found = ids(BEFORE, now)
    assert found[:2] == found[2:]
    # of one alone nobody knows which it is
    assert len(set(ids(BEFORE, hidden(26, 0xD030)))) == 3


def test_what_others_read_says_nothing_of_what_is_hidden() -> None:
    # the element is read by other goroutines than the map
    element = of(26, 0x9D000).replace("oroutine 8", "oroutine 9")
    found = ids(BEFORE, hidden(25, 0xD000) + element)
    assert found[2] not in found[:2]


def test_order_changes_nothing() -> None:
    texts = [BEFORE, hidden(25, 0xD000) + of(26, 0x9D000) + hidden(26, 0xD030), of(25, 0xE000)]
    groups = set()
    for order in permutations(range(3)):
        found = ids(*(texts[n] for n in order))
        sizes = [0, *(texts[n].count("WARNING") for n in order)]
        at = {n: sum(sizes[: place + 1]) for place, n in enumerate(order)}
        each = [found[at[n] : at[n] + texts[n].count("WARNING")] for n in range(3)]
        groups.add(tuple(map(tuple, each)))
    assert len(groups) == 1


def test_maps_that_have_readers_of_their_own_are_not_mixed_up() -> None:
    def by_count(text: str) -> str:
        return text.replace("(*Cart).Total", "(*Cart).Count")

    before = shown(25, 0xC000) + by_count(shown(26, 0xC030))
    now = hidden(25, 0xD000) + hidden(26, 0xD030) + by_count(of(26, 0x9D000))
    lent, due, first, second, element = ids(before, now)
    assert second == element != lent
    assert first not in (due, second)
