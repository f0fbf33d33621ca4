"""Text after each line, or around it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.damage.lines import join_lines, json_string, map_lines, split_lines
from tests.damage.registry import damage
from tests.damage.writers import interleave, other_process

if TYPE_CHECKING:
    import random


@damage("suffix", headless=False)
def _suffix(text: str, rng: random.Random) -> str:
    suffix = rng.choice((" {pod=api-1}", " (worker 3)", "\tsource=stderr", " | n3", ";", " \\"))
    return map_lines(text, lambda line: line + suffix)


@damage("cat-a", headless=False)
def _cat_a(text: str, rng: random.Random) -> str:
    return map_lines(text, lambda line: line.replace("\t", "^I") + "$")


@damage("strings-of-a-program", headless=False)
def _strings_of_a_program(text: str, rng: random.Random) -> str:
    head, tail = rng.choice((("  - ", ""), ("        + ", ""), ("+ \t\t", ","), ("    ", " +")))
    return map_lines(text, lambda line: f"{head}{json_string(line)}{tail}")


@damage("counting-labels")
def _counting_labels(text: str, rng: random.Random) -> str:
    shape = rng.choice(("[{0}] ", "[test:{0}] ", "[test:L{0}:3s] ", "[00:{0}] "))
    return join_lines([shape.format(n) + line for n, line in enumerate(split_lines(text), 12)])


@damage("two-numbered-writers")
def _two_numbered_writers(text: str, rng: random.Random) -> str:
    """`ctest -V -j`, `srun --label`: the number names the writer and is no line number."""
    shape = rng.choice(("{0}: ", "{0:>2}: ", "{0}\t"))
    marks = shape.format(rng.randrange(9)), shape.format(rng.randrange(10, 19))
    return interleave(text, other_process(text, rng), rng, marks)


@damage("two-tagged-writers")
def _two_tagged_writers(text: str, rng: random.Random) -> str:
    """`parallel --tag`, nix, lerna, kail: each line starts with the name of its writer."""
    ends = (("./cart", "./mail", "\t"), ("cart", "mail", "> "), ("cart", "mail", ": "))
    one, other, end = rng.choice((*ends, ("default/api-1[api]", "default/api-2[api]", ": ")))
    return interleave(text, other_process(text, rng), rng, (one + end, other + end))


@damage("yaml-records", headless=False)
def _yaml_records(text: str, rng: random.Random) -> str:
    """`gcloud logging read`: one YAML document per line."""

    def record(line: str) -> str:
        quoted = json_string(line) if "\t" in line else "'" + line.replace("'", "''") + "'"
        return f"---\ninsertId: a{rng.randrange(99)}\nseverity: ERROR\ntextPayload: {quoted}"

    return map_lines(text, record)


@damage("rubydebug")
def _rubydebug(text: str, rng: random.Random) -> str:
    """Logstash on a terminal."""

    def record(line: str) -> str:
        return f'{{\n       "message" => {json_string(line)},\n      "@version" => "1"\n}}'

    return map_lines(text, record)


@damage("links-of-a-chat")
def _links_of_a_chat(text: str, rng: random.Random) -> str:
    """Chats and wikis turn file names with the suffix of a country into links."""
    link = rng.choice((r"<http://\1|\1>", r"[\1](http://\1)", r"[\1|http://\1]"))
    linked = re.sub(r"(?<![\w/.@-])([\w-]+\.(?:rs|cc))(?=:\d)", link, text)
    return f"cibot  12:03\n{linked}"


@damage("ligatures")
def _ligatures(text: str, rng: random.Random) -> str:
    """Text copied from a typeset page."""
    for letters, glyph in (("ffi", "\ufb03"), ("fi", "\ufb01"), ("fl", "\ufb02"), ("ff", "\ufb00")):
        # the words that mark a report keep their letters
        text = re.sub(rf"(?<!Unde){letters}", glyph, text)
    return text
