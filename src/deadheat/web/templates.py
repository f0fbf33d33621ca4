"""Renders templates. Every value that they insert is text from outside: it is cut, made printable, and escaped."""

from __future__ import annotations

import secrets
from datetime import UTC, date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from deadheat import plugins
from deadheat._version import __version__
from deadheat.output import escape_html
from deadheat.output.html import markup, page
from deadheat.printable import shorten, split_code, visible_text
from deadheat.triage.events import new_key
from deadheat.web import static_files
from deadheat.web.services import Credential

if TYPE_CHECKING:
    from deadheat.web.services import Principal

# replaced in cached pages by what belongs to one user; random, so that no text from outside contains them
_RANDOM = secrets.token_hex(16)
TOKEN_PLACEHOLDER, USER_PLACEHOLDER, KEY_PLACEHOLDER = (f"{_RANDOM}-{name}" for name in ("token", "user", "key"))


def _finalize(value: Any) -> Any:
    """Make a value safe to insert; Markup comes from functions that have done so."""
    if value is None:
        return ""
    return value if isinstance(value, Markup) else visible_text(markup.shorten(str(value)), "\n\t")


def _whole_text(value: str) -> Markup:
    """A long text, such as a comment, which is not cut."""
    return Markup(escape_html(value))


def _code_sentence(value: str) -> Markup:
    """A sentence with code between backticks."""
    parts = (markup.code(part) if is_code else markup.text(part) for part, is_code in split_code(value))
    return Markup("".join(parts))


def _plain_sentence(value: str) -> str:
    return "".join(part for part, _ in split_code(value))


def _show_time(value: datetime) -> Markup:
    utc = value.astimezone(UTC)
    return Markup('<time datetime="{}">{}</time>').format(utc.isoformat(), f"{utc:%Y-%m-%d %H:%M}")


def _show_day(value: datetime | date) -> Markup:
    day = value.astimezone(UTC).date() if isinstance(value, datetime) else value
    return Markup('<time datetime="{0}">{0}</time>').format(day.isoformat())


def _short_number(number: int) -> str:
    return f"{number:,}"


def _count(number: int, noun: str, plural: str = "") -> str:
    """`1 race`, `2,000 races`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


@cache
def environment() -> Environment:
    found = Environment(
        loader=PackageLoader("deadheat.web"), autoescape=True, finalize=_finalize, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    found.filters |= {
        "sentence": _code_sentence,
        "plain": _plain_sentence,
        "time": _show_time,
        "day": _show_day,
        "number": _short_number,
        "short": shorten,
        "segment": lambda text: quote(str(text), safe=""),
    }
    found.globals |= {
        "logo": Markup(page.LOGO),
        "count_of": _count,
        "static": static_files.static_url,
        "whole": _whole_text,
        "program_version": __version__,
        "cause_name": lambda name: _plain_sentence(plugins.cause_title(name)),
        "detector_title": plugins.display_name,
        "plain_name": str,
        "token": Markup(TOKEN_PLACEHOLDER),
        "user": Markup(USER_PLACEHOLDER),
        "form_key": Markup(KEY_PLACEHOLDER),
    }
    return found


def render(name: str, **values: Any) -> str:
    return environment().get_template(name).render(**values)


def _shown_user(principal: Principal, has_login_page: bool) -> str:
    """Who is logged in, and how to change that."""
    name = str(markup.text(principal.name))
    if principal.credential is Credential.SESSION:
        token = f'<input type="hidden" name="token" value="{TOKEN_PLACEHOLDER}">'
        return f'{name} <form class="logout" method="post" action="/logout">{token}<button>Log out</button></form>'
    may_log_in = has_login_page and principal.credential is Credential.NONE and principal.role is not None
    return f'{name} <a href="/login">Log in</a>' if may_log_in else name


def personal(html: bytes, principal: Principal, token: str, has_login_page: bool) -> bytes:
    """A rendered page with what belongs to one user."""
    html = html.replace(USER_PLACEHOLDER.encode(), _shown_user(principal, has_login_page).encode())
    html = html.replace(TOKEN_PLACEHOLDER.encode(), token.encode())
    return html.replace(KEY_PLACEHOLDER.encode(), new_key().encode())
