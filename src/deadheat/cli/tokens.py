"""`deadheat token create`, `list` and `revoke`: the tokens that the server accepts."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.cli import decisions
from deadheat.errors import DeadheatError
from deadheat.printable import format_json, visible_text

if TYPE_CHECKING:
    import argparse

    from deadheat.triage.server_tables import AccessToken
    from deadheat.triage.store import DecisionStore

    _Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_ROLES = ("reader", "triager", "admin")
_EXAMPLES = """examples:
  deadheat token create ci --role triager --lake races-lake
  deadheat token list --lake races-lake
  deadheat token revoke ci --lake races-lake

exit status: 0 done, 2 wrong usage, 3 no such token, or the environment failed
"""


def add_token_command(commands: _Commands) -> None:
    command = commands.add_parser(
        "token",
        help="create, list or revoke tokens of the dashboard",
        description="Creates, lists or revokes the tokens that the dashboard accepts. Only their hashes are stored.",
        epilog=_EXAMPLES,
    )
    command.add_argument("action", choices=("create", "list", "revoke"), help="what to do")
    command.add_argument("name", nargs="?", metavar="NAME", help="name of the token; to revoke it, also its id")
    command.add_argument("--role", choices=_ROLES, default="reader", help="what a new token allows; default: reader")
    command.add_argument(
        "--expires-days", type=cli.integer_at_least(1), metavar="N", help="a new token is valid for N days"
    )
    command.add_argument("--lake", metavar="DIR", help="folder of the lake")
    decisions.add_decisions_option(command)
    command.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    command.set_defaults(run=run_token, parser=command)


def run_token(args: argparse.Namespace) -> int:
    if not (args.lake or args.decisions):
        args.parser.error("name a --lake, or a database with --decisions")
    if (args.action == "list") is bool(args.name):
        args.parser.error("list takes no NAME" if args.name else f"{args.action} needs a NAME")
    with closing(decisions.open_decisions(args)) as store:
        if args.action == "create":
            token, text = _create(store, args)
            store.audit.add("command line", "token create", details={"token": token.id, "name": token.name})
            if args.format == "json":
                print(format_json({**_token_to_json(token), "token": text}, indent=1))
            else:
                cli.print_to_stderr(f"token {token.id} ({token.role}); it is shown only now")
                print(text)
        elif args.action == "revoke":
            token = store.tokens.revoke(args.name)
            store.audit.add("command line", "token revoke", details={"token": token.id, "name": token.name})
            cli.print_to_stderr(f"token {token.id} ({token.name}) is revoked")
        else:
            _print_tokens(store.tokens.all(), args.format)
    return cli.EXIT_NOTHING


def _create(store: DecisionStore, args: argparse.Namespace) -> tuple[AccessToken, str]:
    from deadheat.triage.server_tables import Role

    now = datetime.now(UTC)
    # decisions show the name: it must say who made them
    if any(token.name == args.name and token.is_valid(now) for token in store.tokens.all()):
        raise DeadheatError("has a token already", args.name, "revoke it first, or choose another name")
    expires_at = now + timedelta(days=args.expires_days) if args.expires_days else None
    return store.tokens.create(args.name, Role(args.role), expires_at)


def _print_tokens(tokens: list[AccessToken], format_name: str) -> None:
    if format_name == "json":
        print(format_json([_token_to_json(token) for token in tokens], indent=1))
        return
    for token in tokens:
        used = f"used {token.last_used_at:%Y-%m-%d}" if token.last_used_at else "never used"
        state = f"revoked {token.revoked_at:%Y-%m-%d}" if token.revoked_at else used
        if token.expires_at and not token.revoked_at:
            state += f", {'expires' if token.is_valid(datetime.now(UTC)) else 'expired'} {token.expires_at:%Y-%m-%d}"
        print(visible_text(f"{token.id}  {token.role:7}  {token.created_at:%Y-%m-%d}  {state:18}  {token.name}"))
    if not tokens:
        print("no token")


def _token_to_json(token: AccessToken) -> dict[str, str | None]:
    times = {
        name: time.isoformat() if time else None
        for name, time in (
            ("created_at", token.created_at),
            ("last_used_at", token.last_used_at),
            ("revoked_at", token.revoked_at),
            ("expires_at", token.expires_at),
        )
    }
    return {"id": token.id, "name": token.name, "role": token.role.value, **times}
