"""The shell of every page: one file that loads nothing, with a content security policy for its own style and script."""

from __future__ import annotations

import pkgutil
from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from deadheat.output.html.markup import Html, element, shorten, text

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_TITLE_LENGTH = 120
# two lines that meet
LOGO = Html(
    '<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M2 3h5l6 10M2 13h5l6-10"'
    ' fill="none" stroke="currentColor" stroke-width="2"/></svg>'
)


@cache
def page_asset(name: str) -> str:
    """The content of `page.css` or `page.js`."""
    data = pkgutil.get_data("deadheat.output.html", name)  # also works in a zip file
    return (data or b"").decode()


def _hash(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"


def content_security_policy() -> str:
    """Nothing is loaded; only the script and the style of the page count, not those of a text that it shows."""
    script, style = _hash(page_asset("page.js")), _hash(page_asset("page.css"))
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none';"
        " require-trusted-types-for 'script'"
    )


def page_start(title: str, kind: str, skip_to: str) -> Iterator[Html]:
    """The page up to the content of `main`. `kind` is what the header says after the name of the program."""
    shown_title = text(shorten(f"{title} · deadheat", _MAX_TITLE_LENGTH))
    yield Html(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{content_security_policy()}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">\n'
        f"<title>{shown_title}</title>\n<style>{page_asset('page.css')}</style></head>\n<body>\n"
    )
    yield element("a", Html("Skip to "), text(skip_to), href="#main", class_="skip")
    button = element("button", Html("Dark"), type="button", id="theme", class_="scripted")
    yield element(
        "header", element("span", LOGO, Html(" deadheat"), class_="brand"), element("span", text(kind), class_="kind"),
        button, class_="top",
    )  # fmt: skip
    yield Html('\n<main id="main" tabindex="-1">\n')


def page_end(note: str) -> Html:
    status = '<p id="status" class="hidden" role="status"></p>'
    footer = element("footer", element("p", text(note)))
    return Html(f"</main>\n{footer}{status}\n<script>{page_asset('page.js')}</script>\n</body></html>\n")
