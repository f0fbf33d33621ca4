"""`deadheat config`: shows which settings hold, and where they come from."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import options
from deadheat.cli.configuration import ConfigurationError, ConfigurationFile, load_configuration, shown_path, suggest
from deadheat.errors import DeadheatError
from deadheat.printable import format_json, visible_text
from deadheat.serialization import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_EXAMPLES = """examples:
  deadheat config                            every setting that is not the default, and where it comes from
  deadheat config --all --format json
  deadheat config gate --baseline old.jsonl  what holds for this command line
  deadheat config --path                     the file that is used

exit status: 0 done, 2 wrong usage, or a fault in the file, 3 the file cannot be read
"""


def add_config_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "config",
        help="show the settings, and where they come from",
        description="Shows what deadheat.toml, or [tool.deadheat] in pyproject.toml, and the environment set.",
        epilog=_EXAMPLES,
    )
    command.add_argument("--all", action="store_true", help="also what has its default")
    command.add_argument("--path", action="store_true", help="only print the path of the file that is used")
    command.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    command.add_argument(
        "command_line", nargs=argparse.REMAINDER, metavar="COMMAND", help="a command, and the options to use it with"
    )
    command.set_defaults(run=run_config, parser=command)


def run_config(args: argparse.Namespace) -> int:
    words = args.command_line
    if words and words[0] not in cli.command_names():
        args.parser.error(f"{words[0]!r} is not a command with settings{suggest(words[0], cli.command_names())}")
    try:
        file = None if args.no_config else load_configuration(args.config)
    except ConfigurationError as error:
        cli.print_to_stderr(str(error))
        return cli.EXIT_USAGE
    if args.path:
        return _print_path(file)
    faults = [*file.faults, *file.unknown_keys(cli.command_names())] if file else []
    rows = list(_rows_of_all(file, faults) if not words else _rows_of_command_line(words, file, faults))
    rows += _rows_of_tables(file)
    shown = [row for row in rows if args.all or row["source"] != options.DEFAULT]
    if args.format == "json":
        path = str(file.path) if file else None
        fields = {"schema": SCHEMA_VERSION, "file": path, "settings": shown, "faults": faults}
        print(format_json(fields, indent=1))
    else:
        _print_text(file, shown)
        for fault in faults:
            cli.print_to_stderr(fault)
    return cli.EXIT_USAGE if faults else cli.EXIT_NOTHING


def _print_path(file: ConfigurationFile | None) -> int:
    if file is None:
        raise DeadheatError("there is no configuration file", "this folder and those above it", "create deadheat.toml")
    print(visible_text(str(file.path)))
    return cli.EXIT_NOTHING


def _rows_of_all(file: ConfigurationFile | None, faults: list[str]) -> Iterator[dict[str, Any]]:
    """The settings of every command, as without any option on its command line."""
    root = cli.build_parser()
    for command in cli.command_names():
        yield from _rows_of_command(command, options.command_parser(root, command), file, faults)


def _rows_of_command(
    command: str, parser: argparse.ArgumentParser, file: ConfigurationFile | None, faults: list[str]
) -> Iterator[dict[str, Any]]:
    settings = _read_settings(command, parser, file, faults)
    for key, option in settings.options.items():
        source, value = options.value_without_command_line(key, settings.configured)
        value = option.default if source.kind == options.DEFAULT else value
        yield _setting_row(command, key, value, source)


def _read_settings(
    command: str, parser: argparse.ArgumentParser, file: ConfigurationFile | None, faults: list[str]
) -> options.CommandSettings:
    """The settings of a command; a fault that ends the command is only recorded."""
    settings = options.CommandSettings(command, parser, file)
    for fault in settings.iter_faults():
        if fault not in faults:
            faults.append(fault)
    return settings


def _rows_of_command_line(
    words: list[str], file: ConfigurationFile | None, faults: list[str]
) -> Iterator[dict[str, Any]]:
    root = cli.build_parser(words[0])
    parser = options.command_parser(root, words[0])
    settings = _read_settings(words[0], parser, file, faults)
    for action in parser._actions:  # the command is not run, and needs no arguments
        action.required = False
        action.nargs = "*" if not action.option_strings and action.nargs in (None, "+") else action.nargs
    args = options.parse_arguments(root, words[0], words, settings)
    for key, option in settings.options.items():
        yield _setting_row(words[0], key, getattr(args, option.dest), args.option_sources[option.dest])


def _setting_row(command: str, key: str, value: Any, source: options.OptionSource) -> dict[str, Any]:
    return {
        "command": command,
        "key": key,
        "value": _plain_value(value),
        "source": source.kind,
        "place": source.place or None,
    }


def _plain_value(value: Any) -> Any:
    """A value as JSON: what a type made of a text is shown as text again."""
    if isinstance(value, tuple) and len(value) == 2:
        return f"{value[0]}={value[1]}"
    if isinstance(value, list | tuple):
        return [_plain_value(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _rows_of_tables(file: ConfigurationFile | None) -> Iterator[dict[str, Any]]:
    """`[owners]` and `[[mute]]`, which are no options; `[paths]` is the option --map."""
    if file is None:
        return
    for rule in file.owner_rules:
        source = options.OptionSource(options.FILE, file.place_of("owners", rule.pattern))
        yield _setting_row("owners", rule.pattern, list(rule.owners), source)
    for number, mute in enumerate(file.mutes, 1):
        source = options.OptionSource(options.FILE, file.place_of("mute", "", number))
        fields = {name: value for name, value in mute._asdict().items() if value and name != "pattern"}
        yield {**_setting_row("mute", mute.pattern, None, source), "value": fields}


def _print_text(file: ConfigurationFile | None, rows: Iterable[dict[str, Any]]) -> None:
    lines = [(f"{row['command']}.{_toml_key(row['key'])} = {_toml_value(row['value'])}", row) for row in rows]
    width = min(60, max((len(line) for line, _ in lines), default=0))
    print(visible_text(f"# {shown_path(file.path)}" if file else "# no configuration file"))
    for line, row in lines:
        source = options.OptionSource(row["source"], row["place"] or "").description
        print(visible_text(f"{line:{width}}  # {source}"))
    sys.stdout.flush()


def _toml_key(key: str) -> str:
    return key if key.replace("-", "").replace("_", "").isalnum() and key.isascii() else format_json(key)


def _toml_value(value: Any) -> str:
    """A value as in the file, so that a line can be copied into it; TOML has no null."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml_value(each)}' for key, each in value.items())} }}"
    return "none" if value is None else format_json(value)
