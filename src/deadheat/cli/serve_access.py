"""The options of `serve` that say who may use the dashboard."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.cli import decisions

if TYPE_CHECKING:
    from deadheat.web.access.settings import AccessSettings

_ROLES = ("reader", "triager", "admin")
_DEFAULT_HOURS, _DEFAULT_RATE = 12, 50
_HEADER = re.compile(r"[A-Za-z0-9-]{1,100}")


def add_access_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("access")
    group.add_argument(
        "--auth", choices=("tokens", "proxy"),
        help="who may use the server: who has a token of `deadheat token`, or whom a proxy names"
        " (default: everybody, on loopback only)",
    )  # fmt: skip
    group.add_argument(
        "--trusted-proxy", action="append", default=[], metavar="NETWORK",
        help="address or network of a proxy whose headers are believed; may repeat",
    )  # fmt: skip
    group.add_argument(
        "--user-header", default="", type=_parse_header, metavar="NAME", help="proxy: the header that names the user"
    )
    group.add_argument(
        "--role-header", default="", type=_parse_header, metavar="NAME",
        help="proxy: the header with the groups or roles of the user",
    )  # fmt: skip
    group.add_argument(
        "--role-map", action="append", default=[], type=_parse_role, metavar="VALUE=ROLE",
        help="proxy: the role of a value of --role-header, or of a user without it; * for everybody; may repeat",
    )  # fmt: skip
    group.add_argument("--anonymous-role", choices=("reader",), help="what may be done without a login")
    group.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME",
        help="a name by which browsers know the server; with one, requests for others are refused; may repeat",
    )  # fmt: skip
    group.add_argument(
        "--session-hours", type=cli.integer_at_least(1), default=_DEFAULT_HOURS, metavar="N",
        help=f"tokens: how long a login lasts (default: {_DEFAULT_HOURS})",
    )  # fmt: skip
    group.add_argument(
        "--rate-limit", type=cli.integer_at_least(0), default=_DEFAULT_RATE, metavar="N",
        help=f"requests per second of one token, user or address; 0 for no limit (default: {_DEFAULT_RATE})",
    )  # fmt: skip


def _parse_header(text: str) -> str:
    if text and not _HEADER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of a header such as X-Forwarded-User")
    return text


def _parse_role(text: str) -> tuple[str, str]:
    value, equals, role = text.rpartition("=")
    if not equals or not value.strip() or role not in _ROLES:
        raise argparse.ArgumentTypeError(f"{text!r} is not VALUE=ROLE with the role {', '.join(_ROLES)}")
    return value.strip(), role


def access_settings(args: argparse.Namespace) -> AccessSettings:
    """The options as settings. Ends the command with status 2 if such a server must not start."""
    from deadheat.web.access.addresses import NetworkError, parse_network
    from deadheat.web.access.settings import OPEN, AccessSettings

    try:
        networks = [parse_network(text) for text in args.trusted_proxy]
    except NetworkError as error:
        args.parser.error(f"argument --trusted-proxy: {error}")
    settings = AccessSettings(
        mode=args.auth or OPEN, trusted_proxies=networks, user_header=args.user_header, role_header=args.role_header,
        role_map=dict(args.role_map), anonymous_role=args.anonymous_role or "",
        allowed_hosts=[name.lower() for name in args.allow_host], session_hours=args.session_hours,
        requests_per_second=args.rate_limit,
    )  # fmt: skip
    if fault := settings.fault(args.host, args.demo or decisions.database_address(args) is not None):
        args.parser.error(fault)
    return settings
