"""Two processes that write to one stream."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.damage.lines import iso_time, join_lines, split_lines, with_timestamps
from tests.damage.registry import damage

if TYPE_CHECKING:
    import random

PODS = ("[pod/api-7d4b9c-x2x9k/api] ", "[pod/api-7d4b9c-qf8zt/api] ")
SERVICES = ("api_1       | ", "worker_1    | ")


def interleave(text_a: str, text_b: str, rng: random.Random, prefixes: tuple[str, str] = PODS) -> str:
    """The lines of two processes in one stream: each keeps its order, the mix is random."""
    waiting = [split_lines(text_a)[::-1], split_lines(text_b)[::-1]]
    out = []
    while waiting[0] or waiting[1]:
        writer = rng.randrange(2) if waiting[0] and waiting[1] else int(not waiting[0])
        out.append(prefixes[writer] + waiting[writer].pop())
    return join_lines(out)


def other_process(text: str, rng: random.Random) -> str:
    """The same text printed by a second process: other goroutine numbers, other heap."""
    number, heap = rng.randrange(1000, 9000), rng.randrange(1, 4096) * 0x1000

    def renumber(match: re.Match[str]) -> str:
        return f"{match[1]}{int(match[2]) + number}"

    def move_heap(match: re.Match[str]) -> str:
        return f"0x{int(match[1], 16) + heap:012x}"

    # "==4711== ", "==00:00:00:01.226 4711== "
    process = r"^==(?:\d\d:\d\d:\d\d:\d\d\.\d{3} )?"
    number_of = rf"([Gg]oroutine |{process}|\[ *[TC])(\d+)"
    text = re.sub(number_of, renumber, text, flags=re.MULTILINE)
    return re.sub(r"\b0x(00c[0-9a-f]{9})\b", move_heap, text)


@damage("kubectl-two-pods")
def _kubectl_two_pods(text: str, rng: random.Random) -> str:
    return interleave(text, other_process(text, rng), rng)


@damage("docker-compose-two-services")
def _two_services(text: str, rng: random.Random) -> str:
    return interleave(text, other_process(text, rng), rng, SERVICES)


@damage("rsyslog-two-processes")
def _rsyslog_two_processes(text: str, rng: random.Random) -> str:
    marks = ("node-3 apiserver[4711]: ", "node-3 apiserver[4712]: ")
    mixed = interleave(text, other_process(text, rng), rng, marks)
    return with_timestamps(mixed, rng, lambda now: f"{now:%Y-%m-%dT%H:%M:%S.%f}+02:00 ")


@damage("jenkins-two-branches")
def _jenkins_two_branches(text: str, rng: random.Random) -> str:
    mixed = interleave(text, other_process(text, rng), rng, ("[linux] ", "[darwin] "))
    return with_timestamps(mixed, rng, lambda now: f"[{iso_time(now, rng, 3)}] ")


@damage("two-writers-that-nobody-knows", headless=False)
def _two_writers_that_nobody_knows(text: str, rng: random.Random) -> str:
    """As printed by stern without colours."""
    marks = ("cart-7f9c-x2x9k app ", "mail-5d6b-qf8zt app ")
    return interleave(text, other_process(text, rng), rng, marks)


@damage("two-writers-in-brackets", headless=False)
def _two_writers_in_brackets(text: str, rng: random.Random) -> str:
    """Lines of spdlog."""
    mixed = interleave(text, other_process(text, rng), rng, ("[cart] [error] ", "[mail] [error] "))
    return with_timestamps(mixed, rng, lambda now: f"[{iso_time(now, rng, 3)}] ")
