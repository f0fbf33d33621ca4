"""Text pasted into mail, Markdown, commits and web pages."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape as xml_escape

from tests.damage.lines import PACKAGE, TEST, join_lines, map_lines, split_lines
from tests.damage.registry import damage

if TYPE_CHECKING:
    import random


def _quote(text: str, mark: str) -> str:
    return map_lines(text, lambda line: f"{mark} {line}".rstrip())


@damage("markdown-fence")
def _markdown_fence(text: str, rng: random.Random) -> str:
    fence = rng.choice(("```", "~~~~", "```go"))
    body = join_lines(split_lines(text))
    return f"The nightly build failed:\n\n{fence}\n{body}{fence.rstrip('go')}\n\nAny idea?\n"


@damage("markdown-details")
def _markdown_details(text: str, rng: random.Random) -> str:
    body = join_lines(split_lines(text))
    return f"<details><summary>log</summary>\n\n```\n{body}```\n</details>\n"


@damage("markdown-list-item")
def _markdown_list_item(text: str, rng: random.Random) -> str:
    body = map_lines(f"```\n{join_lines(split_lines(text))}```", lambda line: f"   {line}".rstrip())
    return f"1. run the tests with the detector on\n2. see\n{body}"


@damage("markdown-quote")
def _markdown_quote(text: str, rng: random.Random) -> str:
    return _quote(text, ">") + "\nI see this as well.\n"


@damage("markdown-nested-quote")
def _markdown_nested_quote(text: str, rng: random.Random) -> str:
    return _quote(text, "> >") + "> I see this as well.\n\nSince when?\n"


@damage("mail-quote")
def _mail_quote(text: str, rng: random.Random) -> str:
    head = "On Wed, 1 May 2024 at 12:10, the build bot wrote:\n"
    return head + _quote(text, ">") + "\nLooking into it.\n"


@damage("mail-deep-quote")
def _mail_deep_quote(text: str, rng: random.Random) -> str:
    mark = ">" * rng.randrange(2, 5)
    return map_lines(text, lambda line: f"{mark} {line}".rstrip())


@damage("diff-added")
def _diff_added(text: str, rng: random.Random) -> str:
    head = "diff --git a/race.txt b/race.txt\nnew file mode 100644\n--- /dev/null\n+++ b/race.txt\n"
    hunk = f"@@ -0,0 +1,{len(split_lines(text))} @@\n"
    return head + hunk + map_lines(text, lambda line: f"+{line}")


@damage("commit-template")
def _commit_template(text: str, rng: random.Random) -> str:
    return _quote(text, "#")


@damage("commit-body")
def _commit_body(text: str, rng: random.Random) -> str:
    # `git log` indents the message by four columns, blank lines included.
    body = map_lines(f"cart: lock the total\n\n{text}", lambda line: f"    {line}")
    return f"commit {rng.randbytes(20).hex()}\nDate:   Wed May 1 12:10:00 2024 +0200\n\n{body}"


@damage("numbers-linked")
def _numbers_linked(text: str, rng: random.Random) -> str:
    # importers of commits and issues link "#1" to an issue; there is no issue 0
    base = rng.choice(("https://github.com/shop/cart", "https://git.example.com/shop/be/cart/-"))
    linked = re.sub(r"(?m)^(\s*)#([1-9]\d*) ", rf"\1{base}/issues/\2 ", text)
    return f"{linked}\nPull Request resolved: {base}/pull/4711\n"


@damage("slash-comment")
def _slash_comment(text: str, rng: random.Random) -> str:
    return _quote(text, "//")


@damage("block-comment")
def _block_comment(text: str, rng: random.Random) -> str:
    return f"/*\n{_quote(text, ' *')} */\n"


@damage("html-pre")
def _html_pre(text: str, rng: random.Random) -> str:
    body = html.escape(join_lines(split_lines(text))).replace("\u00b7", "&middot;")
    return f'<html><body>\n<pre class="console-output">{body}</pre>\n</body></html>\n'


@damage("html-numbered-rows")
def _html_numbered_rows(text: str, rng: random.Random) -> str:
    def row(number: int, line: str) -> str:
        return f'<tr><td id="L{number}">{number}</td><td class="code">{html.escape(line)}</td></tr>'

    rows = [row(number, line) for number, line in enumerate(split_lines(text), 1)]
    return f"<table>{''.join(rows)}</table>\n"


@damage("html-of-the-nineties")
def _html_of_the_nineties(text: str, rng: random.Random) -> str:
    return f"<HTML><BODY><TT>{html.escape(text, quote=False)}</TT></BODY></HTML>".replace("\n", "<BR>")


@damage("markdown-escapes")
def _markdown_escapes(text: str, rng: random.Random) -> str:
    # a rich text editor's rendering of a report without a code fence
    return re.sub(r"[*_\[\]<>]", r"\\\g<0>", text)


@damage("newlines-written-out")
def _newlines_written_out(text: str, rng: random.Random) -> str:
    return text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + "\n"


@damage("html-breaks")
def _html_breaks(text: str, rng: random.Random) -> str:
    def mark_line(line: str) -> str:
        body = line.lstrip(" ")
        return "&nbsp;" * (len(line) - len(body)) + html.escape(body) + "<br>"

    return f"<p>{map_lines(text, mark_line)}</p>\n"


def _junit(body: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites><testsuite name="{PACKAGE}" tests="1" failures="1">\n'
        f'\t<testcase classname="{PACKAGE}" name="{TEST}" time="0.050">\n'
        f"\t\t{body}\n\t</testcase>\n</testsuite></testsuites>\n"
    )


@damage("junit-entities")
def _junit_entities(text: str, rng: random.Random) -> str:
    quotes = {'"': "&quot;", "'": "&apos;"}
    return _junit(f"<system-out>{xml_escape(text, quotes)}</system-out>")


@damage("junit-cdata")
def _junit_cdata(text: str, rng: random.Random) -> str:
    body = text.replace("]]>", "]]]]><![CDATA[>")
    return _junit(f"<system-out><![CDATA[{body}]]></system-out>")


@damage("junit-one-line")
def _junit_one_line(text: str, rng: random.Random) -> str:
    # Go's XML encoder writes line ends and tabs as entities: the report is one line.
    codes = {"\n": "&#xA;", "\t": "&#x9;", "\r": "&#xD;", '"': "&#34;", "'": "&#39;"}
    return _junit(f'<failure message="Failed" type="">{xml_escape(text, codes)}</failure>')
