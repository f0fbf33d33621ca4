"""Texts of any size that repeat one thing: a literal, a line, a part of a report, a damaged report, a document."""

from __future__ import annotations

import base64
import gzip
import io
import json
import random
import re
import tarfile
import zipfile
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from bench.hostile import hostile_texts
from deadheat import plugins
from deadheat.parsing import test_events
from tests.cases import ROOT
from tests.damage import DAMAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REPORT = (ROOT / "go" / "two-goroutines.txt").read_text()
TSAN_REPORT = (ROOT / "tsan" / "optimised-and-inlined.txt").read_text()
HEADER = "Read at 0x00c000123456 by goroutine 7:\n"
_NUMBER = re.compile(rb"\d+")
_NUMBERED = re.compile(r"0x[0-9a-f]+|\d+")


class GrowingInput(NamedTuple):
    """A text that has about the asked number of bytes."""

    name: str
    make: Callable[[int], bytes]
    uri: str = "input.log"


def repeat(piece: bytes) -> Callable[[int], bytes]:
    return lambda size: piece * (size // len(piece) + 1)


def number(piece: bytes) -> Callable[[int], bytes]:
    """Repeats a piece, each time with other numbers."""

    def make(size: int) -> bytes:
        count = size // len(piece) + 1
        return b"".join(_NUMBER.sub(b"%d" % (1000 + at), piece) for at in range(count))

    return make


def literals() -> Iterator[GrowingInput]:
    """Each literal that the detectors and the prefilter know, on a line of its own and on one line."""
    known: dict[bytes, None] = dict.fromkeys(test_events._EVENT_LITERALS)
    for detector in plugins.all_detectors():
        known.update(dict.fromkeys((*detector.anchors, *detector.hints)))
        known.update(dict.fromkeys(literal.encode() for literal in detector.opening_literals))
        known.update(dict.fromkeys(literal for group in detector.required_literals for literal in group))
        known.update(dict.fromkeys(filter(None, (detector.report_start, detector.report_end))))
    for literal in known:
        yield GrowingInput(f"literal {literal!r}", repeat(literal + b"\n"))
        yield GrowingInput(f"one line of {literal!r}", repeat(literal + b" "))


def lines(is_pair: bool) -> Iterator[GrowingInput]:
    """Each line of the golden cases; with `is_pair`, each pair of neighbours."""
    known = set()
    for path in sorted(ROOT.glob("*/*.txt")):
        previous = b""
        for line in path.read_bytes().splitlines(keepends=True):
            piece = previous + line if is_pair else line
            form = _NUMBER.sub(b"0", piece)
            if form not in known and piece.strip() and (previous or not is_pair):
                known.add(form)
                yield GrowingInput(f"{'pair' if is_pair else 'line'} {piece[:160]!r}", repeat(piece))
            previous = line


def sections() -> Iterator[GrowingInput]:
    """Each kind of section of the golden cases: the lines between two blank lines."""
    known = set()
    for path in sorted(ROOT.glob("*/*.txt")):
        for section in re.split(rb"\n[ \t]*\n", path.read_bytes()):
            form = _NUMBER.sub(b"0", section)[:60]
            if form not in known and section.strip():
                known.add(form)
                yield GrowingInput(
                    f"section of {path.parent.name}/{path.stem}, {section[:60]!r}", repeat(section + b"\n\n")
                )
    threads = (
        b"  Thread T1 (tid=12313, running) created by thread T2 at:\n    #0 pthread_create <null> (shop+0x533dd)\n\n"
    )
    yield GrowingInput("threads of ThreadSanitizer", repeat(threads))


def cut_reports() -> Iterator[GrowingInput]:
    """Each golden case without its end, repeated."""
    for path in sorted(ROOT.glob("*/*.txt")):
        raw = path.read_bytes()
        rows = raw.splitlines(keepends=True)
        for name, part in (
            ("head of", b"".join(rows[:4])),
            ("half of", b"".join(rows[: len(rows) // 2]) + b"\n"),
            ("most of", raw[: -len(raw) // 8] + b"\n"),
            ("all of", raw),
        ):
            yield GrowingInput(f"{name} {path.parent.name}/{path.stem}", repeat(part))
            yield GrowingInput(f"{name} {path.parent.name}/{path.stem}, numbered", number(part))


def damaged_texts() -> Iterator[GrowingInput]:
    """Each damage of many reports, of many headers, and of text."""
    pieces = {"reports": REPORT, "headers": HEADER, "reports of ThreadSanitizer": TSAN_REPORT, "lines": "all is well\n"}
    for damage in DAMAGES:
        for name, piece in pieces.items():

            def make(size: int, piece: str = piece, apply: Callable[..., bytes] = damage.apply) -> bytes:
                return apply(piece * (size // len(piece) + 1), random.Random(1))

            yield GrowingInput(f"{name}, {damage.name}", make)


_MAIL_HEAD = "From: dev@example.com\nSubject: data race\nDate: Thu, 2 May 2024 12:00:00 +0000\n"
_FROM = "From dev@example.com Thu May  2 12:00:00 2024\n"


def _series(item: Callable[[int], str], head: str = "", tail: str = "", item_size: int = 0) -> Callable[[int], bytes]:
    """Items that differ by their number, between a head and a tail."""

    def make(size: int) -> bytes:
        count = size // (item_size or len(item(1000))) + 1
        return "".join([head, *map(item, range(count)), tail]).encode()

    return make


def _nested(head: Callable[[int], str], body: str, tail: Callable[[int], str] = lambda _: "") -> Callable[[int], bytes]:
    def make(size: int) -> bytes:
        depth = size // len(head(1000) + tail(1000)) + 1
        return "".join([*map(head, range(depth)), body, *map(tail, reversed(range(depth)))]).encode()

    return make


def _archive(form: str) -> Callable[[int], bytes]:
    """An archive with members of one report each."""

    def make(size: int) -> bytes:
        count, file = size // 1024 + 1, io.BytesIO()
        if form == "zip":
            with zipfile.ZipFile(file, "w") as target:
                for at in range(count):
                    target.writestr(f"{at}.log", REPORT)
            return file.getvalue()
        if form == "gz":
            return gzip.compress(REPORT.encode()) * count
        with tarfile.open(fileobj=file, mode="w") as tar:
            for at in range(count):
                info = tarfile.TarInfo(f"{at}.log")
                info.size = len(REPORT)
                tar.addfile(info, io.BytesIO(REPORT.encode()))
        return file.getvalue()

    return make


def _issue(at: int, body: str = REPORT) -> dict[str, object]:
    return {"title": "data race", "number": at, "html_url": f"https://github.com/a/b/issues/{at}", "body": body}


def _junit(at: int) -> str:
    return f'<testcase name="Test{at}" classname="p"><failure>{REPORT}</failure></testcase>'


def _event(at: int) -> str:
    test, kind = f"Test{at}", at % 4
    row = {
        "Time": "2024-05-01T12:00:00Z",
        "Action": ("run", "output", "fail", "output")[kind],
        "Package": "p",
        "Test": test,
    }
    return (
        json.dumps(row | ({"Output": "    testing.go:1: race detected during execution of test\n"} if kind % 2 else {}))
        + "\n"
    )


def documents() -> Iterator[GrowingInput]:
    """Documents of each shape that grow in each direction: more of them, longer, deeper."""
    mail = "input.mbox"
    yield GrowingInput(
        "mbox, a thread in which each answers the one before",
        _series(lambda at: f"{_FROM}{_MAIL_HEAD}Message-ID: <{at}@a>\nIn-Reply-To: <{at - 1}@a>\n\nIt races.\n\n"),
        mail,
    )
    yield GrowingInput(
        "mbox, a thread from its end",
        _series(lambda at: f"{_FROM}{_MAIL_HEAD}Message-ID: <{at}@a>\nIn-Reply-To: <{at + 1}@a>\n\nIt races.\n\n"),
        mail,
    )
    yield GrowingInput(
        "mbox, all answer the first",
        _series(lambda at: f"{_FROM}{_MAIL_HEAD}Message-ID: <{at}@a>\nIn-Reply-To: <0@a>\n\n{REPORT}\n"),
        mail,
    )
    yield GrowingInput(
        "mbox, one id",
        _series(lambda at: f"{_FROM}{_MAIL_HEAD}Message-ID: <a@a>\nIn-Reply-To: <a@a>\n\n> {REPORT}\n"),
        mail,
    )
    yield GrowingInput(
        "mail in mail", _nested(lambda _: f"{_MAIL_HEAD}Content-Type: message/rfc822\n\n", REPORT), "a.eml"
    )
    yield GrowingInput(
        "parts in parts",
        _nested(
            lambda at: f'{_MAIL_HEAD}Content-Type: multipart/mixed; boundary="b{at}"\n\n--b{at}\n',
            REPORT,
            lambda at: f"\n--b{at}--\n",
        ),
        "a.eml",
    )
    head = f'{_MAIL_HEAD}MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n'
    yield GrowingInput(
        "parts", _series(lambda _: f"--b\nContent-Type: text/plain\n\n{REPORT}\n", head, "--b--\n"), "a.eml"
    )
    yield GrowingInput(
        "parts of one text", _series(lambda _: "--b\nContent-Type: text/plain\n\nIt races.\n", head), "a.eml"
    )
    yield GrowingInput("headers", _series(lambda at: f"X-{at}: {at}\n", _MAIL_HEAD, "\n" + REPORT), "a.eml")
    yield GrowingInput(
        "a folded header", _series(lambda at: f" =?utf-8?q?=C3=A9{at}?=\n", f"{_MAIL_HEAD}X: a\n"), "a.eml"
    )
    yield GrowingInput(
        "a folded subject",
        _series(lambda at: f" =?utf-8?q?=C3=A9{at}?=\n", "From: a\nDate: b\nMessage-ID: <a>\nSubject: a\n"),
        "a.eml",
    )
    for encoding, encode in {
        "base64": lambda text: base64.encodebytes(text.encode()).decode(),
        "quoted-printable": lambda text: text.replace("=", "=3D"),
    }.items():
        yield GrowingInput(
            f"mail in {encoding}",
            lambda size, encoding=encoding, encode=encode: (  # type: ignore[misc]
                f"{_MAIL_HEAD}Content-Type: text/plain; charset=latin-1\nContent-Transfer-Encoding: {encoding}\n\n"
                + encode((REPORT + "caf\u00e9\n") * (size // len(REPORT) + 1))
            ).encode(),
            "a.eml",
        )
    yield GrowingInput(
        "HTML page",
        _series(
            lambda at: f'<div class="line"><a href="#L{at}">{at}</a><span>{HEADER[:-1]}</span></div>\n',
            "<!DOCTYPE html>\n",
        ),
        "a.html",
    )
    yield GrowingInput(
        "HTML in mail",
        _series(lambda _: f"<p>{REPORT}</p><br>&lt;&amp;&#10;\n", f"{_MAIL_HEAD}Content-Type: text/html\n\n"),
        "a.eml",
    )
    yield GrowingInput("comments of HTML", _series(lambda at: f"<!-- {at} -->\n", "# Race\n\n"), "a.md")
    yield GrowingInput("an open comment of HTML", _series(lambda at: f"<!-- {at}\n", "# Race\n\n"), "a.md")
    yield GrowingInput(
        "issues", lambda size: json.dumps([_issue(at) for at in range(size // len(REPORT) + 1)]).encode(), "a.json"
    )
    yield GrowingInput("issues, one per line", _series(lambda at: json.dumps(_issue(at)) + "\n"), "a.jsonl")
    yield GrowingInput(
        "comments of an issue",
        lambda size: json.dumps(
            _issue(1) | {"comments": [{"body": REPORT} for _ in range(size // len(REPORT) + 1)]}
        ).encode(),
        "a.json",
    )
    yield GrowingInput(
        "comments apart",
        lambda size: json.dumps(
            [{"issue_url": f"https://a/issues/{at}", "body": REPORT} for at in range(size // len(REPORT) + 1)]
        ).encode(),
        "a.json",
    )
    yield GrowingInput(
        "labels",
        lambda size: json.dumps(
            _issue(1) | {"labels": [{"name": f"affects-1.{at}"} for at in range(size // 24)]}
        ).encode(),
        "a.json",
    )
    yield GrowingInput(
        "body of an issue", lambda size: json.dumps(_issue(1, REPORT * (size // len(REPORT) + 1))).encode(), "a.json"
    )
    yield GrowingInput(
        "lists in lists", lambda size: b'{"title": "race", "number": 1, "body": ' + b"[" * size, "a.json"
    )
    yield GrowingInput(
        "JSON without an end",
        lambda size: b'{"title": "race", "number": 1, "body": "' + b"\\\\n" * (size // 3),
        "a.json",
    )
    yield GrowingInput("JUnit cases", _series(_junit, "<testsuites><testsuite>", "</testsuite></testsuites>"), "a.xml")
    yield GrowingInput(
        "a JUnit case",
        lambda size: (
            "<testsuite><testcase name='a'><failure>"
            f"{REPORT * (size // len(REPORT) + 1)}</failure></testcase></testsuite>"
        ).encode(),
        "a.xml",
    )
    yield GrowingInput(
        "elements in elements", _nested(lambda _: "<testsuite>", REPORT, lambda _: "</testsuite>"), "a.xml"
    )
    yield GrowingInput(
        "entities in JUnit",
        _series(lambda _: "&lt;&#10;", "<testsuite><testcase name='a'><failure>", "</failure></testcase></testsuite>"),
        "a.xml",
    )
    yield GrowingInput("events of go test", _series(_event))
    yield GrowingInput(
        "tests that never end",
        _series(lambda at: f"=== RUN   Test{at}\n" + (REPORT if at % 8 == 0 else ""), item_size=100),
    )
    yield GrowingInput(
        "tests that never end, results behind each report",
        _series(
            lambda at: f"=== RUN   Test{at}\n{REPORT}    testing.go:1490: race detected during execution of test\n"
        ),
    )
    yield GrowingInput(
        "subtests in subtests", lambda size: b"=== RUN   Test" + b"/a" * (size // 2) + b"\n" + REPORT.encode()
    )
    yield GrowingInput("forms", _series(lambda at: f"ID: {at}\nTitle: Data race\nDescription:\n{REPORT}\n"), "a.txt")
    yield GrowingInput("fields of a form", _series(lambda at: f"Field {at}: a\n", "ID: 1\nTitle: Data race\n"), "a.txt")
    for form in ("zip", "tar", "gz"):
        yield GrowingInput(f"{form} with many members", _archive(form), f"a.{form}")


def _numbered_text(text: str, at: int) -> str:
    return text.format(at, at)


def passages() -> Iterator[GrowingInput]:
    """Text in each part of a Markdown document, and on the line of a header."""
    texts = {
        "headings": "## Version {}\n\n", "fences": "```\n{}\n```\n", "open fences": "```go {}\n", "quotes": "> {}\n",
        "lists": "- v1.2.{} is affected\n", "references": "See #{} and acme/outbox#{}. ",
        "versions": "Go 1.{}, v1.2.{} found ",
        "commands": "```sh\n$ go test -race -count {}\n```\n", "statements": "```sql\nset a = {};\n-- t{}\n```\n",
        "one statement": "set a = {},\n", "tables": "| session 1 | t{} |\n",
        "commits": "introduced by commit 1a2b3c{} ",
        "words": "race {} ", "lines": "race {}\n", "sentences": "It is a race since v1.{}.0. ",
        "inline code": "`go test {}` ",
        "front matter": "---\ntitle: {}\n", "failpoints": 'failpoint.Enable("a/b{}", "return(true)")\n',
        "functions": "```go\nfunc f{}() {{\n\treturn\n}}\n```\n",
        "prompts": "```\nmysql> select {};\n    -> from t;\n```\n",
        "here documents": "```sh\ncat <<E{}\n```\n", "continued commands": "$ go test \\\n",
        "links": "https://github.com/a/b/issues/{} ",
        "backquotes": "`", "brackets": "[a](", "stars": "*", "open quotes": "'", "tags": "<p>", "backslashes": "\\",
        "spaces": " ", "carriage returns": "\r", "ampersands": "&", "indentation": "    a{}\n",
        "braces": "{{", "commas": ",",
    }  # fmt: skip
    for name, text in texts.items():
        for start, fence in (
            ("# A data race\n\n", ""),
            ("# A data race\n\n```sql\n", "in SQL, "),
            ("# A data race\n\n```\n", "in code, "),
        ):
            if not (fence and "```" in text):
                yield GrowingInput(f"Markdown, {fence}{name}", _series(partial(_numbered_text, text), start), "a.md")
    characters = (
        *(
            "[",
            "{",
            '"',
            "'",
            "<",
            "&",
            "\\",
            "=",
            " ",
            "\t",
            "\r",
            "\n",
            "\0",
            "> ",
            "| ",
            ", ",
            "\x1b[31m",
            "\\n",
            "%0A",
        ),
        *(
            "|n",
            "'a', ",
            '"a", ',
            '{"a":"b"},',
            "a=b ",
            '""',
            "#012",
            "<b>",
            "&#10;",
            "0x1 ",
            "1: ",
            "a: ",
            "[1] ",
            "=3D",
        ),
    )
    for text in characters:
        yield GrowingInput(
            f"a line of {text!r} before a header",
            lambda size, text=text: (  # type: ignore[misc]
                text * (size // len(text)) + HEADER + REPORT
            ).encode(),
        )
        yield GrowingInput(
            f"a line of {text!r} behind a header",
            lambda size, text=text: (  # type: ignore[misc]
                HEADER[:-1] + text * (size // len(text)) + "\n" + REPORT
            ).encode(),
        )
        yield GrowingInput(
            f"lines of {text!r}, a header in each",
            lambda size, text=text: (  # type: ignore[misc]
                (text * 100 + HEADER) * (size // len(text * 100 + HEADER) + 1)
            ).encode(),
        )


def hostile() -> Iterator[GrowingInput]:
    for name, make in hostile_texts().items():
        yield GrowingInput(f"hostile: {name}", make)


GROUPS: dict[str, Callable[[], Iterator[GrowingInput]]] = {
    "literals": literals,
    "lines": lambda: lines(is_pair=False),
    "pairs": lambda: lines(is_pair=True),
    "sections": sections,
    "cuts": cut_reports,
    "damages": damaged_texts,
    "documents": documents,
    "passages": passages,
    "hostile": hostile,
}


_ONE_SIDED = """==7== Thread 2:
==7== Conflicting store by thread 2 at 0x0c0001a4038 size 4
==7==    at 0x109A51: Add (cart.c:31)
==7==    by 0x109B3C: Submit (flow.c:88)
==7== Allocation context: BSS section of /home/ci/shop
==7==
"""
_WITHOUT_A_STACK = """==================
WARNING: ThreadSanitizer: data race (pid=4711)
  Write of size 4 at 0x00c0001a4038 by thread T1:
    #0 Add /src/shop/cart.c:31 (shop+0xd4764)
    #1 Submit /src/shop/flow.c:88 (shop+0xd4388)

  Previous write of size 4 at 0x00c0001a4038 by main thread:
    [failed to restore the stack]

SUMMARY: ThreadSanitizer: data race /src/shop/cart.c:31 in Add
==================
"""
# what differs between reports: a string, and what it becomes in each
_DIFFERENCES = {
    "address": ("1a4038", "{:x}000"),
    "near address": ("1a4038", "{:x}0"),
    "writer": ("Add", "Add{}"),
    "reader": ("Total", "Total{}"),
    "writer's line": (":31", ":{}"),
    "reader's line": (":40", ":{}"),
    "writer's caller": ("Submit", "Submit{}"),
    "reader's caller": ("Quote", "Quote{}"),
    "caller's line": (":88", ":{}"),
    "actor": ("goroutine 21", "goroutine {}"),
    "thread": ("thread 2", "thread {}"),
}
_SERIES = (
    ("address",), ("near address",), ("actor",), ("address", "actor", "writer's line"), ("address", "actor", "thread"),
    ("address", "writer", "reader"), ("near address", "writer", "reader"), ("writer", "reader"), ("address", "reader"),
    ("reader",), ("address", "writer"), ("near address", "writer"), ("writer",), ("address", "writer's line"),
    ("near address", "writer's line"), ("writer's line",), ("writer's line", "reader's line"),
    ("address", "writer's line", "reader's line"), ("address", "writer's caller", "reader's caller"),
    ("writer's caller", "reader's caller"), ("near address", "writer's caller", "reader's caller"),
    ("address", "caller's line", "actor"), ("address", "writer", "reader", "writer's caller", "reader's caller"),
    ("writer", "thread"), ("writer's line", "thread"), ("near address", "writer's line", "thread"),
)  # fmt: skip


def report_series() -> Iterator[GrowingInput]:
    """Reports that differ in some things and agree in the others."""
    pieces = {"two-sided": REPORT, "one-sided": _ONE_SIDED, "without a stack": _WITHOUT_A_STACK}
    for kind, piece in pieces.items():
        for series in _SERIES:
            if all(any(_DIFFERENCES[name][0] in piece for name in what.split(" or ")) for what in series):
                yield GrowingInput(f"{kind}, each with its {', '.join(series)}", _differing(piece, series))
    yield GrowingInput(
        "two-sided, each in its stream",
        _series(
            lambda at: "".join(f"web-{_letters(at)}  | {line}" for line in REPORT.splitlines(keepends=True)),
            item_size=len(REPORT),
        ),
    )


def _letters(at: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in str(at))


def _differing(piece: str, series: tuple[str, ...]) -> Callable[[int], bytes]:
    def item(at: int) -> str:
        text = piece
        for name in series:
            old, new = _DIFFERENCES[name]
            has_name = old[-1].isalpha()
            text = text.replace(old, new.format(_letters(at) if has_name else 100 + at))
        return text

    return _series(item)


GROUPS["series"] = report_series
