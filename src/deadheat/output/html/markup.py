"""HTML elements. `Html` is text that is markup already; any other text has to pass through `text`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NewType

from deadheat.output import escape_html

if TYPE_CHECKING:
    from collections.abc import Iterable

Html = NewType("Html", str)
EMPTY = Html("")
# "/races/434f53b2b09cc912", but not "//host"
_LOCAL_PATH = re.compile(r"/(?![/\\])")

# characters of a text from the input that a page shows: symbols of C++ can have megabytes
MAX_TEXT_LENGTH = 2000


def text(value: str) -> Html:
    """Escapes a text for an element or an attribute."""
    return Html(escape_html(shorten(value)))


def shorten(value: str, limit: int = MAX_TEXT_LENGTH) -> str:
    return value if len(value) <= limit else f"{value[: limit - 1]}…"


def join(parts: Iterable[Html], between: str = "") -> Html:
    return Html(between.join(parts))


def element(tag: str, /, *content: Html, **attributes: str | bool | None) -> Html:
    """An element. Attributes without a value are left out; `class_` and `aria_label` are `class` and `aria-label`."""
    shown = "".join(_attribute(name, value) for name, value in attributes.items() if value)
    return Html(f"<{tag}{shown}>{''.join(content)}</{tag}>")


def _attribute(name: str, value: str | bool | None) -> str:
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape_html(str(value))}"'


def code(value: str) -> Html:
    return element("code", text(value))


def link(url: str, *content: Html, **attributes: str) -> Html:
    """A link, or only its content if the address is not known or is not one of a page."""
    if not url.startswith(("https://", "http://", "#")) and not _LOCAL_PATH.match(url):
        return Html("".join(content))
    return element("a", *content, href=url, **attributes)
