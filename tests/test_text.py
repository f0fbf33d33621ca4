"""From raw bytes to clean lines per stream: each layer, and linear time on hostile text."""

from __future__ import annotations

import json
import random
import re
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

import deadheat
from deadheat import plugins
from deadheat.api import report_reader
from deadheat.text import decoding, prefilter
from deadheat.text.log_records import LinePiece
from deadheat.text.prefixes import split_prefixes
from deadheat.text.streams import StreamSplitter
from deadheat.text.window import SlidingWindow, StreamSource
from tests.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

REPORT = (ROOT / "go" / "two-goroutines.txt").read_text()
LINE = "Read at 0x00c0000a1238 by goroutine 7:"

# -- records and prefixes --------------------------------------------------------------------------


def test_several_records_on_one_line_give_one_line_each() -> None:
    values = [["1714557600000000000", "one"], ["1714557600000000001", "  two"]]
    loki = {"status": "success", "data": {"result": [{"stream": {"app": "x"}, "values": values}]}}
    hits = {"hits": {"hits": [{"_source": {"message": "one"}}, {"_source": {"message": "  two"}}]}}
    for value in (loki, hits):
        assert [piece.text for piece in split_prefixes(json.dumps(value))] == ["one", "  two"]


def test_record_over_several_lines_gives_only_its_text() -> None:
    printed = json.dumps({"events": [{"timestamp": 7, "message": '  a "b"\tc'}]}, indent=4)
    assert [piece.text for line in printed.split("\n") for piece in split_prefixes(line)] == ['  a "b"\tc']


def test_fields_after_a_line_do_not_replace_it() -> None:
    line = 'cart/lease.go:505\trenewed\t{"attempt":1}'
    assert [piece.text for piece in split_prefixes(line)] == [line]


def test_message_given_as_a_list_of_bytes_is_decoded() -> None:
    (piece,) = split_prefixes(json.dumps({"_PID": "7", "MESSAGE": list(b"\t/src/cart.go:31")}))
    assert piece.text == "\t/src/cart.go:31"


def test_colour_codes_without_escape_are_removed() -> None:
    text = b"[1;31mrate(x[5m])[0m main.Map[K].Get()\n^[[33mtwo^[[0m\nESC[4mthreeESC[m\n"
    assert decoding.decode_lines(text)[0][:2] == ["rate(x[5m]) main.Map[K].Get()", "two"]
    assert decoding.decode_lines(b"a[1m b[K]\n")[0][0] == "a[1m b[K]"


def test_markdown_backslashes_are_removed_and_windows_paths_kept() -> None:
    text = b"main.(\\*Cart).Add\\_all()\nD:\\a\\_work\\cart\\_test.go:31 +0x45\n"
    expected = ["main.(*Cart).Add_all()", "D:\\a\\_work\\cart\\_test.go:31 +0x45"]
    assert decoding.decode_lines(text)[0][:2] == expected


def test_carriage_return_ends_a_line_unless_it_redraws_it() -> None:
    assert decoding.decode_lines(b"one\rtwo\rthree\rfour")[0] == [
        decoding.LINE_BREAK.join(("one", "two", "three", "four"))
    ]
    drawn = "".join(f"{n}% [{'=' * n}>]\r" for n in range(1, 9))
    assert decoding.decode_lines(f"{drawn}done".encode())[0] == ["done"]


def test_output_of_a_child_process_is_preferred_over_the_message_about_it() -> None:
    assert [piece.text for piece in split_prefixes('{"msg":"child said","stderr":"  main.main()"}')] == [
        "  main.main()"
    ]
    assert [piece.text for piece in split_prefixes('{"msg":"tick","line":"31"}')] == ["tick"]


def test_list_items_are_joined_only_if_they_keep_line_ends() -> None:
    cut = [{"message": "a\nb"}, {"message": "c\nd\n"}]
    assert [piece.text for piece in split_prefixes(json.dumps(cut))] == ["a", "bc", "d"]
    complete = [{"message": "a"}, {"message": "b"}, {"message": "c"}]
    assert [piece.text for piece in split_prefixes(json.dumps(complete))] == ["a", "b", "c"]


def test_teamcity_service_message_gives_its_lines() -> None:
    pieces = split_prefixes("##teamcity[testStdErr name='T' out='one|n  |[two|] it|'s ||']")
    assert [piece.text for piece in pieces] == ["one", "  [two] it's |"]


def test_table_prefix_is_learnt_from_the_cell_before_the_text() -> None:
    splitter = StreamSplitter()
    rows = [f'"pod-1","2024-05-01T12:00:0{n}Z","{text}",7' for n, text in enumerate(("a, b", "c"))]
    assert splitter.learn_prefix('"pod-1","2024-05-01T12:00:00Z","', rows)
    assert [line for row in rows for line in splitter.split_line(row)] == [("pod-1,", "a, b"), ("pod-1,", "c")]


ISO = "2024-05-01T12:00:00"
# a sample of each prefix, and the stream it names
PREFIXES: list[tuple[str, str, str | None]] = [
    ("CRI", f"{ISO}.123456789Z stderr F ", "stderr"),
    ("GitLab", f"{ISO}.064388Z 00O ", "00O"),
    ("GitHub", f"{ISO}.1234567Z ", None),
    ("an offset", f"{ISO}+02:00 ", None),
    ("a space for the T", "2024-05-01 12:00:00,123 ", None),
    ("Jenkins", f"[{ISO}.632Z] ", None),
    ("Go's log", "2018/07/31 10:47:04.655 ", None),
    ("a clock", "11:05:58 ", None),
    ("a clock in brackets", "[11:05:58.123] ", None),
    ("syslog", "Oct 04 20:17:35 Swarm01 dockerd[15116]: ", "Swarm01 dockerd[15116]"),
    ("syslog with priority", "<34>Oct  4 20:17:35 host app: ", "host app"),
    ("RFC 5424", f"<34>1 {ISO}Z host app 123 - - ", "host app 123"),
    ("the kernel", "[  123.456789][ T123] ", "T123"),
    ("kubectl", "[pod/web-1/app] ", "pod/web-1/app"),
    ("compose", "web_1       | ", "web_1"),
    ("foreman", "11:05:58     etcd1 | ", "etcd1"),
    ("klog", "I0623 07:55:00.082589   64365 x.go:10] ", None),
    ("svlogd", "@4000000063f1b2c31a2b3c4d ", None),
    ("a quote", "> > ", None),
    ("a diff", "+", None),
    ("a comment", "// ", None),
    ("a shell comment", "# ", None),
    ("a list", "* ", None),
    ("grep", "ci.log:123:", None),
    ("grep's context", "ci.log-124-", None),
    ("grep without names", "123:", None),
    ("a pager", "  123  ", None),
    ("cat -n", "   123\t", None),
    ("two layers", f"[pod/web-1/app] {ISO}Z ", "pod/web-1/app"),
]


@pytest.mark.parametrize(("prefix", "stream"), [pytest.param(p, w, id=n) for n, p, w in PREFIXES])
@pytest.mark.parametrize("body", [LINE, "  main.main()", "WARNING: DATA RACE", "=" * 18])
def test_known_prefix_is_removed_and_names_the_stream(prefix: str, stream: str | None, body: str) -> None:
    assert [*(splitter := StreamSplitter()).split_line(prefix + body), *splitter.flush_pending()] == [(stream, body)]


RECORDS: list[tuple[str, object, str | None]] = [
    ("docker", {"log": f"{LINE}\n", "stream": "stderr", "time": ISO}, "stderr"),
    ("go test", {"Action": "output", "Package": "a/b", "Output": f"{LINE}\n"}, "a/b"),
    ("journald", {"MESSAGE": LINE, "_PID": "12"}, "12"),
    ("Elasticsearch", {"_source": {"message": LINE, "host": "h"}}, "h"),
    ("zap", {"level": "info", "msg": LINE}, None),
    ("Stackdriver", {"textPayload": LINE}, None),
]


@pytest.mark.parametrize(("record", "stream"), [pytest.param(r, w, id=n) for n, r, w in RECORDS])
def test_record_gives_its_text_and_its_stream(record: object, stream: str | None) -> None:
    (piece,) = split_prefixes(json.dumps(record))
    assert (piece.stream, piece.text, piece.partial) == (stream, LINE, False)


def test_repeated_numbers_name_streams() -> None:
    lines = ["12: WARNING: DATA RACE", "13: ==", "12: Read", "13: WARNING"]
    splitter = StreamSplitter(lines[0])
    splitter.observe_report(lines[0], lines[1:])
    assert [splitter.split_line(line)[0][0] for line in lines] == ["12:", "13:", "12:", "13:"]
    counted = StreamSplitter(lines[0])
    counted.observe_report(lines[0], ["13: ==", "14: Read"])
    assert counted.split_line("15: x") == [(None, " x")]


def test_octet_counted_syslog_is_split() -> None:
    first, second = (f"<34>1 {ISO} host app 1 - - {text}" for text in ("thread #1", "2 frames"))
    pieces = split_prefixes(f"{len(first)} {first}{len(second)} {second}")
    assert [piece.text for piece in pieces] == [first, second]


@pytest.mark.parametrize("tail", [" {pod=x}", " (worker 3)", "$"])
def test_suffix_of_every_line_is_removed(tail: str) -> None:
    lines = ["WARNING: DATA RACE", "Read by goroutine 7:", "  main.f()", "      /src/x.go:3 +0x4", "a"]
    splitter = StreamSplitter(lines[0])
    splitter.observe_report(lines[0] + tail, [line + tail for line in lines[1:]])
    assert [splitter.split_line(line + tail) for line in lines] == [[(None, line)] for line in lines]


def test_logfmt_gives_its_message() -> None:
    (piece,) = split_prefixes(f'time="{ISO}" level=info msg="{LINE}" pod=web-1')
    assert (piece.stream, piece.text) == ("web-1", LINE)


def test_multiline_text_in_one_record_gives_its_lines() -> None:
    pieces = split_prefixes(json.dumps({"body": REPORT}))
    assert [piece.text for piece in pieces] == REPORT.splitlines()


def test_text_with_escaped_newlines_gives_its_lines() -> None:
    assert [piece.text for piece in split_prefixes(r"a\nb\nc\nd\n\te")] == ["a", "b", "c", "d", "\te"]


@pytest.mark.parametrize(
    "text", [LINE, "  main.main()", "      /src/cart.go:31 +0x45", "", "{not json", "[1,", "x=1", "=" * 18]
)
def test_text_without_a_prefix_is_unchanged(text: str) -> None:
    assert split_prefixes(text) == [LinePiece(None, text)]


@pytest.mark.parametrize("path", [r"      C:\new\net\nice\x.go:31 +0x45", r"  a\nb"])
def test_windows_path_is_not_an_escape(path: str) -> None:
    assert split_prefixes(path) == [LinePiece(None, path)]


# -- streams ---------------------------------------------------------------------------------------


def test_partial_lines_of_two_streams_are_joined() -> None:
    splitter = StreamSplitter()
    lines = [f"{ISO}Z {w} {p} {t}" for w, p, t in (
        ("stdout", "P", "Read at "), ("stderr", "P", "main."), ("stdout", "F", "0x1 by goroutine 7:"),
        ("stderr", "F", "main()"),
    )]  # fmt: skip
    out = [piece for line in lines for piece in splitter.split_line(line)]
    assert out == [("stdout", "Read at 0x1 by goroutine 7:"), ("stderr", "main.main()")]
    assert splitter.flush_pending() == []


def test_continuation_line_is_joined_to_the_last() -> None:
    splitter = StreamSplitter()
    out = [
        *splitter.split_line(f"{ISO}Z 00O Read at "),
        *splitter.split_line(f"{ISO}Z 00O+0x1"),
        *splitter.flush_pending(),
    ]
    assert out == [("00O", "Read at 0x1")]


def test_line_that_never_ends_is_given_up() -> None:
    splitter = StreamSplitter()
    out = [p for _ in range(3000) for p in splitter.split_line(f"{ISO}Z stderr P {'x' * 100}")]
    assert out
    assert max(len(text) for _, text in out) < 1 << 17


def test_unknown_prefix_is_learnt_from_the_following_lines() -> None:
    splitter = StreamSplitter()
    assert splitter.learn_prefix("<<3.1>> ", ["<<3.1>>   main.main()", "<<4.1>> other"])
    assert splitter.split_line("<<3.1>>   main.main()") == [("<<3.1>>", "  main.main()")]
    assert splitter.split_line("<<4.1>> other") == [("<<4.1>>", "other")]


def test_prefix_of_a_single_line_is_text() -> None:
    splitter = StreamSplitter()
    assert not splitter.learn_prefix("they said: ", ["  main.main()", "and so on"])
    assert splitter.split_line("they said: so") == [(None, "they said: so")]


# -- decoding --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "text", "stray"),
    [
        (b"plain", "plain", False),
        (b"\x1b[31mred\x1b[0m \x1b]0;title\x07x", "red x", True),
        (b"\x1b[1;31mred\x1b[0K", "red", False),
        (b"a\x00b\x07c", "abc", True),
        (b"a\xffb", "ab", True),
        (b"10%\r50%\r100%", "100%", False),
        (b"crlf\r", "crlf", False),
        (b"crcrlf\r\r", "crcrlf", False),
        (b"&lt;autogenerated&gt;:1 &#39;x&#39;", "<autogenerated>:1 'x'", False),
        (b"<autogenerated>:1", "<autogenerated>:1", False),
        (b'<span class="x">a</span>', "a", False),
        ("a\u00a0b".encode(), "a b", False),
        ("\ufeffa\u200bb".encode(), "ab", False),
        ("func·024".encode(), "func·024", False),
        ("funcÂ·024".encode(), "func·024", False),
    ],
)
def test_line_is_cleaned(raw: bytes, text: str, stray: bool) -> None:
    (line,), thrown = decoding.decode_lines(raw)
    assert line == text
    assert thrown is stray or b"\x07" in raw


def test_cleaning_keeps_the_number_of_lines() -> None:
    rng = random.Random(5)
    alphabet = [b"\n", b"\r", b"\x1b[31m", b"&#10;", b"<br>", b"\xe2\x80\xa8", b"\x0b", b"\x85", b"a", b"\0"]
    for _ in range(300):
        raw = b"".join(rng.choices(alphabet, k=40))
        assert len(decoding.decode_lines(raw)[0]) == raw.count(b"\n") + 1


def test_clean_text_is_unchanged() -> None:
    rng = random.Random(6)
    alphabet = b"ab \n<>&\t\r\x1b\x00\xc3\xa9=()"
    for _ in range(500):
        raw = bytes(rng.choices(alphabet, k=rng.randrange(1, 8)))
        if decoding.is_clean(raw):
            assert decoding.decode_lines(raw) == (raw.decode().split("\n"), False)
    assert decoding.is_clean(b"  main.main()\n      <autogenerated>:1 +0x24\n")
    assert not decoding.is_clean(b"a\x1b[31m")
    assert not decoding.is_clean(b"<br>")


# -- nested layers ---------------------------------------------------------------------------------


def _split_streams(*raw: str) -> list[tuple[str | None, str]]:
    splitter = StreamSplitter()
    return [line for text in raw for line in splitter.split_line(text)] + splitter.flush_pending()


def test_two_transports_that_name_the_same_stream_do_not_finish_one_anothers_lines() -> None:
    def record(line: str) -> str:
        return json.dumps({"log": f"2024-05-01T12:00:00.1Z stderr {line}\n", "stream": "stderr"})

    assert [text for _, text in _split_streams(record("P WARNING: DA"), record("F TA RACE"))] == ["WARNING: DATA RACE"]


def test_known_prefix_after_a_learnt_prefix_is_removed() -> None:
    rows = [f"<<{n}>> [pod/{pod}/api] line {n}" for n, pod in enumerate("abab" * 3, 10)]
    splitter = StreamSplitter()
    assert splitter.learn_prefix("<<10>> [pod/a/api] ", rows[1:])
    split = [line for row in rows for line in splitter.split_line(row)]
    assert split[0] == ("pod/a/api", "line 10")
    assert split[1] == ("pod/b/api", "line 11")


def test_numbers_and_tags_name_streams_within_records() -> None:
    numbered = [json.dumps({"log": f"{n}: text"}) for n in (3, 14, 3, 14)]
    tagged = [f'{name}: {{"log": "text"}}' for name in ("cart", "mail", "cart")]
    for rows, names in ((numbered, ["3:", "14:", "3:"]), (tagged, ["cart:", "mail:", "cart:"])):
        splitter = StreamSplitter()
        splitter.observe_report(rows[0], rows[1:])
        split = [line for row in rows[:3] for line in splitter.split_line(row)]
        assert [(stream, text.strip()) for stream, text in split] == [(name, "text") for name in names]


def test_list_of_lines_with_their_own_prefixes() -> None:
    lines = [f"[2024-05-01T12:00:00.00{n}Z]   it's line {n}" for n in range(6)]
    assert [text for _, text in _split_streams(f"stderr: {lines!r}")] == [f"  it's line {n}" for n in range(6)]


def test_record_with_markdown_backslashes() -> None:
    assert _split_streams(r'{"log":"main.(\*Cart).Add\_all()\n","stream":"stderr"}') == [
        ("stderr", "main.(*Cart).Add_all()")
    ]


@pytest.mark.parametrize("escape", ["=1B", "#033"])
def test_colour_codes_with_written_out_escape_are_removed(escape: str) -> None:
    text = f"{escape}[1;31mWARNING: DATA RACE{escape}[0m".encode()
    assert decoding.decode_lines(text)[0] == ["WARNING: DATA RACE"]


def test_grep_prefix_is_not_part_of_the_service_name() -> None:
    assert _split_streams("ci.log-124-api_1       | text") == [("api_1", "text")]
    assert _split_streams("shop-api-1       | text") == [("shop-api-1", "text")]


# -- encoding --------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["bare", "marked"])
@pytest.mark.parametrize("before", ["", "well\n", "Grüße · 漢字 😀\n" * 50])
def test_offsets_in_utf_16_and_utf_32_are_raw_offsets(codec: str, mark: str, before: str) -> None:
    raw = (f"{mark}{before}{REPORT}{before}{REPORT}").encode(codec)
    sightings = deadheat.scan(raw, diagnose=False)
    if (before.startswith("G") or codec.startswith("utf-32")) and not mark:
        return  # without a byte order mark, such text is ambiguous
    assert len(sightings) == 2
    for sighting in sightings:
        text = raw[sighting.span.offset : sighting.span.end].decode(codec)
        assert text.startswith("WARNING: DATA RACE")
        assert text.rstrip("=\n").endswith("+0x2d1")


def test_utf_16_gives_the_same_fingerprints() -> None:
    (narrow,), (wide,) = deadheat.scan(REPORT, diagnose=False), deadheat.scan(REPORT.encode("utf-16"), diagnose=False)
    assert wide.verdict == narrow.verdict


@pytest.mark.parametrize("codec", ["utf-16", "utf-32"])
@pytest.mark.parametrize("size", [2, 3, 7, 4096])
def test_utf_16_is_read_in_pieces_of_any_size(size: int, codec: str) -> None:
    raw = REPORT.encode(codec)
    layout = decoding.detect_layout(raw)
    pieces = [raw[i : i + size] for i in range(0, len(raw), size)]
    pending = bytearray()

    def read(count: int) -> bytes:
        if not pending and pieces:
            pending.extend(pieces.pop(0))
        out = bytes(pending[:count])
        del pending[:count]
        return out

    narrow = layout.narrow_reader(read)
    assert b"".join(iter(lambda: narrow(1000), b"")) == REPORT.encode()


BINARIES: tuple[tuple[bytes, bool], ...] = (
    (b"\x7fELF\x02\x01", True),
    (b"\x89PNG\r\n", True),
    (b"\x01\0\0\0\x02\0\0\x05" * 99, True),
    (b"plain text\n" * 99, False),
    (b"a stray \0 in a long line of text\n" * 3, False),
    (bytes(4000) + b"text after a sparse beginning\n", False),
    (("wide text\n" * 9).encode("utf-16"), False),
    (b"", False),
)


@pytest.mark.parametrize(("head", "binary"), BINARIES)
def test_binaries_are_recognised(head: bytes, binary: bool) -> None:
    assert decoding.is_binary(head) is binary


# -- prefilter and window --------------------------------------------------------------------------

LITERALS = tuple(anchor for detector in plugins.all_detectors() for anchor in detector.anchors)


def random_block(rng: random.Random, size: int) -> bytes:
    block = bytearray(rng.choices(b"abDR \n\x1b\xc2\xa0", k=size))
    for _ in range(rng.randrange(30)):
        literal = rng.choice(LITERALS)
        cut = literal[: rng.randrange(1, len(literal) + 1)] if rng.random() < 0.3 else literal
        at = rng.randrange(max(1, size - len(cut)))
        block[at : at + len(cut)] = cut
    return bytes(block)


def test_both_searchers_find_the_same() -> None:
    packed = pytest.importorskip("ahocorasick_rs")
    fast, slow = prefilter.AhoCorasickSearcher(LITERALS, packed), prefilter.BytesFindSearcher(LITERALS)
    rng = random.Random(9)
    total = 0
    for _ in range(300):
        block = random_block(rng, rng.choice([64, 500, 3000]))
        start = rng.choice([0, rng.randrange(len(block)), len(block)])
        hits = slow.find_hits(block, start)
        assert fast.find_hits(block, start) == hits
        total += len(hits)
    assert total > 300


def test_bytes_find_searcher_finds_every_occurrence() -> None:
    rng = random.Random(10)
    for _ in range(50):
        block = random_block(rng, 400)
        expected = sorted(
            (at, index)
            for index, literal in enumerate(LITERALS)
            for at in range(len(block))
            if block.startswith(literal, at)
        )
        assert prefilter.BytesFindSearcher(LITERALS).find_hits(block) == expected


def source_in_pieces(text: bytes, size: int) -> StreamSource:
    pieces = iter([text[i : i + size] for i in range(0, len(text), size)])
    return StreamSource(lambda _: next(pieces, b""))


@pytest.mark.parametrize("size", [1, 5, 17, 100])
def test_hits_across_block_borders_are_found_once(size: int) -> None:
    text = random_block(random.Random(11), 2000)
    searcher = prefilter.Prefilter(prefilter.BytesFindSearcher(LITERALS), prefilter.BytesFindSearcher(LITERALS))
    windows = SlidingWindow(source_in_pieces(text, size), searcher)
    hits, at = [], 0
    while (hit := windows.next_hit(at)) is not None:
        hits.append(hit)
        at = hit[0] + 1
    assert [offset for offset, _ in hits] == sorted({o for o, _ in searcher.find_hits(text)})


def make_searcher(kind: str, literals: tuple[bytes, ...]) -> prefilter.LiteralSearcher:
    if kind == "find":
        return prefilter.BytesFindSearcher(literals)
    return prefilter.AhoCorasickSearcher(literals, pytest.importorskip("ahocorasick_rs"))


@pytest.mark.parametrize("kind", ["find", "packed"])
@pytest.mark.parametrize("piece", [1 << 14, 1 << 17, 1 << 20])
def test_literal_is_found_wherever_a_hint_is_near(kind: str, piece: int) -> None:
    """Also across block borders, and nowhere else."""
    searcher = prefilter.Prefilter(make_searcher(kind, (b"hint", b"HINT")), make_searcher(kind, (b"<one>", b"<two>")))
    rng = random.Random(13)
    for _ in range(40):
        text = bytearray(b"." * 300_000)
        for word in rng.choices([b"hint", b"HINT", b"<one>", b"<two>"], k=12):
            at = rng.randrange(len(text) - 8)
            text[at : at + len(word)] = word
        windows = SlidingWindow(source_in_pieces(bytes(text), piece), searcher)
        hints = [m.start() for m in re.finditer(rb"hint|HINT", text)]
        hits, at = set(), 0
        while (hit := windows.next_hit(at)) is not None:
            hits.add(hit[0])
            at = hit[0] + 1
        literals_at = {m.start() for m in re.finditer(rb"<one>|<two>", text)}
        assert hits <= literals_at
        assert hits >= {w for w in literals_at if any(abs(w - h) < prefilter.HINT_MARGIN for h in hints)}


PHRASE = b"ginning of the phrase"


@pytest.mark.parametrize("piece", [1 << 12, 1 << 17])
@pytest.mark.parametrize("hints", [(b"hint", b"HINT"), (b"hint", b"begin")])
def test_phrase_is_reported_while_searching(piece: int, hints: tuple[bytes, ...]) -> None:
    """Across block borders, after any text, and without a change to the hits."""
    literals = make_searcher("packed", (b"<one>", b"<two>"))
    without_phrase = prefilter.Prefilter(make_searcher("packed", hints), literals)
    searcher = prefilter.Prefilter(make_searcher("packed", hints), literals, PHRASE)
    assert searcher.finds_phrase
    assert not without_phrase.finds_phrase
    rng = random.Random(17)
    for _ in range(20):
        text = bytearray(b"." * 300_000)
        for word in rng.choices([*hints, b"<one>", b"be" + PHRASE, b"x" + PHRASE[2:]], k=30):
            at = rng.randrange(len(text) - len(word))
            text[at : at + len(word)] = word
        hits, phrases = search_all(source_in_pieces(bytes(text), piece), searcher)
        assert (hits, []) == search_all(source_in_pieces(bytes(text), piece), without_phrase)
        ends = [0]
        for begin, end, offsets in phrases:
            assert begin <= ends[-1]
            assert all(begin - len(PHRASE) < at < end for at in offsets)
            ends.append(end)
        assert ends[-1] == len(text)
        offsets_heard = {at for _, _, offsets in phrases for at in offsets}
        assert offsets_heard == {m.start() for m in re.finditer(PHRASE, text)}


Heard = list[tuple[int, int, list[int]]]


def search_all(source: StreamSource, searcher: prefilter.Prefilter) -> tuple[list[tuple[int, int]], Heard]:
    """All hits, and the phrases found during the search."""
    hits: list[tuple[int, int]] = []
    phrases: Heard = []
    windows = SlidingWindow(source, searcher, lambda begin, end, offsets: phrases.append((begin, end, offsets)))
    at = 0
    while (hit := windows.next_hit(at)) is not None:
        hits.append(hit)
        at = hit[0] + 1
    return hits, phrases


def test_phrase_that_overlaps_a_hint_is_not_searched() -> None:
    literals = make_searcher("packed", (b"<one>",))
    for hint in (b"the phrase", b"phrase of", PHRASE, b"the be" + PHRASE):
        assert not prefilter.Prefilter(make_searcher("packed", (hint,)), literals, PHRASE).finds_phrase
    assert not prefilter.Prefilter(prefilter.BytesFindSearcher((b"hint",)), literals, PHRASE).finds_phrase
    assert report_reader().prefilter.finds_phrase


# -- hostile text ----------------------------------------------------------------------------------

SIZE = 200_000
HEADER = "WARNING: DATA RACE\nRead at 0x00c0000a1238 by goroutine 7:\n"
HOSTILE: dict[str, Callable[[], str]] = {
    "parentheses": lambda: "(" * SIZE,
    "calls": lambda: "()" * (SIZE // 2),
    "pairs": lambda: "a=" * (SIZE // 2),
    "pairs with spaces": lambda: "a=b " * (SIZE // 4),
    "open quotes": lambda: 'a="' * (SIZE // 3),
    "quoted backslashes": lambda: 'a=b c="' + "\\" * SIZE,
    "quotes": lambda: "> " * (SIZE // 2),
    "digits": lambda: "1" * SIZE,
    "digits and dashes": lambda: "1-" * (SIZE // 2),
    "clocks": lambda: "12:00:00 " * (SIZE // 9),
    "dates": lambda: f"{ISO}Z " * (SIZE // 21),
    "bars": lambda: "=" * SIZE,
    "mail bars": lambda: "=3D" * (SIZE // 3) + "x",
    "spaces": lambda: " " * SIZE,
    "spaces then text": lambda: " " * SIZE + "x",
    "tabs": lambda: "\t " * (SIZE // 2) + "x",
    "words and gaps": lambda: "x  " * (SIZE // 3),
    "brackets": lambda: "[" * SIZE,
    "pods": lambda: "[pod/" * (SIZE // 5),
    "braces": lambda: "{" * SIZE,
    "closed braces": lambda: "a.{}" * (SIZE // 4) + "()",
    "newline escapes": lambda: r"\n" * (SIZE // 2),
    "unicode escapes": lambda: "\\u005cu005c" * (SIZE // 11),
    "nested JSON arrays": lambda: "[" * 100_000 + "]" * 100_000,
    "nested JSON objects": lambda: '{"log":' * 30_000 + '"x"' + "}" * 30_000,
    "records in records": lambda: json.dumps({"log": json.dumps({"log": '{"log": "x"}' * 9999})}),
    "a huge number": lambda: '{"log": ' + "1" * SIZE + "}",
    "colours": lambda: "\x1b[" * (SIZE // 2),
    "titles": lambda: "\x1b]" * (SIZE // 2),
    "colour numbers": lambda: "\x1b[" + "1;" * (SIZE // 2),
    "entities": lambda: "&" * SIZE,
    "long entities": lambda: "&#1" * (SIZE // 3),
    "tags": lambda: "<p " * (SIZE // 3),
    "breaks": lambda: "<br>" * (SIZE // 4),
    "returns": lambda: "x\r" * (SIZE // 2),
    "colons": lambda: "a:" * (SIZE // 2),
    "locations": lambda: "/a.go:1 " * (SIZE // 8),
    "dots": lambda: "a." * (SIZE // 2) + "()",
    "closures": lambda: "  a.b" + ".func1" * (SIZE // 6) + "()",
    "wrappers": lambda: "  a.b" + ".1" * (SIZE // 2) + "x()",
    "slashes": lambda: "/" * SIZE + "x.go:1 +0x1",
    "percents": lambda: "  a/b" + "%2e" * (SIZE // 3) + "()",
    "accesses": lambda: "Read at 0x1 by " * (SIZE // 15),
    "banners": lambda: "WARNING: DATA RACE " * (SIZE // 19),
    "goroutines": lambda: "goroutine " * (SIZE // 10),
    "creations": lambda: "Goroutine 1 (running) created at" * (SIZE // 32),
    "hashes": lambda: "# " * (SIZE // 2),
    "stars": lambda: "* " * (SIZE // 2),
    "compose": lambda: "a | " * (SIZE // 4),
    "syslog": lambda: "Oct 04 20:17:35 " + "a" * SIZE,
}  # fmt: skip


# those of which each character takes long: a part of the line shows a cost of the square, too
EXPENSIVE = ("creations", "banners", "newline escapes", "breaks")


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "size"),
    [
        *((kind, SIZE // 8 if kind in EXPENSIVE else SIZE) for kind in HOSTILE),
        *(pytest.param(kind, SIZE, marks=pytest.mark.soak) for kind in EXPENSIVE),
    ],
)
def test_hostile_line_in_a_report_takes_linear_time(kind: str, size: int) -> None:
    """Inside a report, before it and after it."""
    line = HOSTILE[kind]()[:size]
    frame = "  main.main()\n      /src/main.go:12 +0x9a\n"
    around = f"{HEADER}{frame}{line}\n{frame}\n"
    sightings = deadheat.scan(f"{line}\n{around}{line}{HEADER}{frame}{HEADER}{line}\n{line}\n", diagnose=False)
    assert all(s.span.length >= 0 for s in sightings)


@pytest.mark.long
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_line_is_split_and_decoded_in_linear_time(kind: str) -> None:
    line = HOSTILE[kind]()
    (cleaned, *_), _ = decoding.decode_lines(line.encode())
    splitter = StreamSplitter()
    assert isinstance([*splitter.split_line(cleaned), *splitter.flush_pending()], list)
    for detector in plugins.all_detectors():
        assert detector.find_opening(cleaned) >= -1
        assert detector.is_fragment(cleaned) in (True, False)
        assert detector.might_contain(line.encode()) in (True, False)
        parser = detector.new_parser()
        for text in (*HEADER.splitlines(), cleaned, "  main.main()", cleaned, cleaned):
            parser.feed(text)
        parser.finish(ends_mid_line=True)


def test_many_short_hostile_lines_end() -> None:
    lines = [HOSTILE[kind]()[:60] for kind in HOSTILE]
    rng = random.Random(12)
    text = "\n".join(rng.choice([HEADER.strip(), *lines]) for _ in range(4000))
    assert isinstance(deadheat.scan(text, diagnose=False), list)


def test_bytes_until_searches_from_each_offset() -> None:
    text = b"begin begin " + b"x" * 50 + b"<end>"
    windows = SlidingWindow(StreamSource(BytesIO(text).read), prefilter.make_prefilter((b"begin",)))
    assert windows.bytes_until(0, b"<end>", 40) is None
    assert windows.bytes_until(6, b"<end>", 60) is None
    assert windows.bytes_until(6, b"<end>", 61) == text[6:-5]
    assert windows.bytes_until(7, b"<end>", 60) == text[7:-5]
