"""Style and scripts, with addresses that change with their content, so that browsers keep them."""

from __future__ import annotations

import pkgutil
from functools import cache
from hashlib import sha256
from typing import NamedTuple

from deadheat.output.html.page import page_asset

_OWN_FILES = ("app.css", "app.js", "htmx.min.js", "icon.svg")
# shared with the HTML report
_SHARED_FILES = ("page.css", "page.js")
_MEDIA_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}


class StaticFile(NamedTuple):
    content: bytes
    media_type: str
    digest: str


@cache
def static_file(name: str) -> StaticFile | None:
    """A file by its name; None if there is none. Also works in a zip file."""
    if name in _SHARED_FILES:
        content = page_asset(name).encode()
    elif name in _OWN_FILES:
        content = pkgutil.get_data("deadheat.web", f"static/{name}") or b""
    else:
        return None
    return StaticFile(content, _MEDIA_TYPES[name.rpartition(".")[2]], sha256(content).hexdigest()[:16])


def static_url(name: str) -> str:
    file = static_file(name)
    assert file is not None, name
    return f"/static/{name}?v={file.digest}"
