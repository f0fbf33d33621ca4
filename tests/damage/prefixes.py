"""Prefixes of lines: times, pods, file names, and unknown ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.damage.lines import clock_times, cut_in_two, iso_time, join_lines, map_lines, split_lines, with_timestamps
from tests.damage.registry import damage

if TYPE_CHECKING:
    import random


@damage("github-actions")
def github_actions(text: str, rng: random.Random) -> str:
    return with_timestamps(text, rng, lambda now: iso_time(now, rng, 7) + " ")


@damage("gh-run-view")
def _gh_run_view(text: str, rng: random.Random) -> str:
    # `gh run view` puts the names of job and step before each line.
    return with_timestamps(text, rng, lambda now: f"test (1.22)\tgo test\t{iso_time(now, rng, 7)} ")


@damage("jenkins")
def _jenkins(text: str, rng: random.Random) -> str:
    return with_timestamps(text, rng, lambda now: f"[{iso_time(now, rng, 3)}] ")


@damage("gitlab")
def _gitlab(text: str, rng: random.Random) -> str:
    clock, out = clock_times(rng), []
    for line in split_lines(text):
        head, *rest = cut_in_two(line, rng, 0.15)
        out.append(f"{iso_time(next(clock), rng, 6)} 00O {head}")
        out.extend(f"{iso_time(next(clock), rng, 6)} 00O+{piece}" for piece in rest)
    return join_lines(out)


@damage("foreman")
def _foreman(text: str, rng: random.Random) -> str:
    return with_timestamps(text, rng, lambda now: f"{now:%H:%M:%S}     etcd1 | ")


@damage("docker-compose")
def _docker_compose(text: str, rng: random.Random) -> str:
    return map_lines(text, lambda line: f"api_1       | {line}")


@damage("docker-compose-colour")
def _docker_compose_colour(text: str, rng: random.Random) -> str:
    colour = rng.choice((32, 33, 35, 36))
    return map_lines(text, lambda line: f"\x1b[{colour}mapi_1       |\x1b[0m {line}")


@damage("syslog")
def _syslog(text: str, rng: random.Random) -> str:
    pid = rng.randrange(300, 32_000)
    return with_timestamps(text, rng, lambda now: f"{now:%b %d %H:%M:%S} node-3 apiserver[{pid}]: ")


@damage("syslog-without-a-host")
def _syslog_without_a_host(text: str, rng: random.Random) -> str:
    return with_timestamps(text, rng, lambda now: f"{now:%b %d %H:%M:%S} apiserver[4711]: ")


@damage("syslog-one-message")
def _syslog_one_message(text: str, rng: random.Random) -> str:
    """Several lines in one message: rsyslog writes control characters in octal."""
    escaped = text.replace("\t", "#011").replace("\r", "#015").replace("\n", "#012")
    return f"May  1 12:00:00 node-3 apiserver[{rng.randrange(300, 32_000)}]: {escaped}\n"


@damage("time-of-a-web-server")
def _time_of_a_web_server(text: str, rng: random.Random) -> str:
    return with_timestamps(text, rng, lambda now: f"[{now:%d/%b/%Y:%H:%M:%S} +0000] ")


@damage("buildkite-without-escapes")
def _buildkite_without_escapes(text: str, rng: random.Random) -> str:
    return with_timestamps(text, rng, lambda now: f"_bk;t={int(now.timestamp() * 1000)}")


@damage("kubectl")
def _kubectl(text: str, rng: random.Random) -> str:
    return map_lines(text, lambda line: f"[pod/api-7d4b9c-x2x9k/api] {line}")


@damage("stern")
def _stern(text: str, rng: random.Random) -> str:
    return map_lines(text, lambda line: f"api-7d4b9c-x2x9k api {line}")


@damage("stern-colour")
def _stern_colour(text: str, rng: random.Random) -> str:
    name = "\x1b[91mapi-7d4b9c-x2x9k\x1b[0m \x1b[31mapi\x1b[0m"
    return map_lines(text, lambda line: f"{name} {line}")


@damage("grep-all-lines")
def _grep_all_lines(text: str, rng: random.Random) -> str:
    start = rng.randrange(1, 9000)
    return join_lines([f"ci.log:{start + i}:{line}" for i, line in enumerate(split_lines(text))])


@damage("grep-context")
def _grep_context(text: str, rng: random.Random) -> str:
    # `grep -n -C 60 "DATA RACE"`: a colon on matching lines, a dash on their context.
    start, out = rng.randrange(1, 9000), []
    for number, line in enumerate(split_lines(text), start):
        mark = ":" if "DATA RACE" in line else "-"
        out.append(f"ci.log{mark}{number}{mark}{line}")
    return join_lines(out)


@damage("line-numbers")
def _line_numbers(text: str, rng: random.Random) -> str:
    start = rng.randrange(1, 9000)
    return join_lines([f"{start + i:>5}  {line}" for i, line in enumerate(split_lines(text))])


@damage("cat-n")
def _cat_n(text: str, rng: random.Random) -> str:
    return join_lines([f"{i:>6}\t{line}" for i, line in enumerate(split_lines(text), 1)])


@damage("unknown-prefix")
def _unknown_prefix(text: str, rng: random.Random) -> str:
    a, b = rng.randrange(1, 40), rng.randrange(1, 40)
    shapes = (f"build-{a}/step-{b} >> ", f"@@worker{{{a}}} ~ ", f"<{a}.{b}> ", f"shard:{a} pass:{b}: ", f"%%{a}%% ")
    prefix = rng.choice(shapes)
    return map_lines(text, lambda line: prefix + line)


@damage("unknown-counting-prefix")
def _unknown_counting_prefix(text: str, rng: random.Random) -> str:
    count = rng.randrange(100, 900)
    shape = rng.choice(("<<{0:05d}>> ", "seq={0} | ", "rec#{0}/w7 -> "))
    return join_lines([shape.format(count + i) + line for i, line in enumerate(split_lines(text))])


@damage("levels-take-turns", headless=False)
def _levels_take_turns(text: str, rng: random.Random) -> str:
    """One writer whose lines have different levels."""
    return map_lines(text, lambda line: f"app-7f9c {rng.choice(('WARN', 'ERROR', 'INFO'))} {line}")
