"""Applies a configuration file to the options of a command.

Whatever the parser of a command accepts can be set under the long name of the option; the values are checked by the
same types and choices. The command line counts before environment variables, these before the file, the file before
defaults.
"""

from __future__ import annotations

import argparse
import os
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.cli.configuration import ConfigurationError, ConfigurationFile, shown_path, suggest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMAND_LINE, ENVIRONMENT, FILE, DEFAULT = "command line", "environment", "file", "default"
# the environment variables that are the defaults of options
_VARIABLES = {
    "root": ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"), "master": ("SPARK_MASTER",), "no-color": ("NO_COLOR",),
    "decisions": ("DEADHEAT_DECISIONS",),
}  # fmt: skip
_PATH_METAVARS, _TARGET_METAVAR = ("DIR", "FILE"), "FORMAT=FILE"
# the shared key `repo` is a clone; other options of this name are the name of a repository
_SHARED_METAVARS = {"repo": "DIR"}
# what a file that was found, and so may be of a stranger, cannot set: it starts programs, ends limits, accepts races or
# hides them
_TRUSTED_KEYS = frozenset((
    "allow-run", "archive-limits", "build", "conf", "decisions", "detector", "driver-memory", "environment",
    "new-since", "package", "test", "update", "yes",
    # they say who may use a server
    "allow-host", "anonymous-role", "auth", "expires-days", "host", "rate-limit", "role", "role-header", "role-map",
    "session-hours", "trusted-proxy", "user-header",
))  # fmt: skip
# paths that may lead out of the folder of such a file: they are only read, with care, or not opened at all
_FREE_PATHS = frozenset(("repo", "root"))
# tables of a command that are no options of it; they say where to send what is in a lake
_RULE_TABLES = frozenset((("serve", "notify"),))
_COMMANDS_THAT_READ_LAKES = frozenset(("explain", "families", "gate", "races", "run", "show"))
_VERSION_CONTROL_FOLDERS = frozenset((".git", ".hg", ".jj", ".svn"))
# the actions of `gate` take the place of the baseline from the table of the command, and no reasons
_ACTION_KEYS = frozenset(("baseline", "quiet"))


class OptionSource(NamedTuple):
    """Where the value of an option comes from: for example `FILE` and `deadheat.toml:4`."""

    kind: str
    place: str = ""

    @property
    def description(self) -> str:
        return self.place if self.kind == FILE else f"{self.kind} {self.place}".strip()


class ConfiguredOption(NamedTuple):
    """The value of an option in a file, converted as on the command line."""

    value: Any
    place: str


def was_given(args: argparse.Namespace, name: str) -> bool:
    """Whether an option is on the command line; a value from a file is not meant for every use of a command."""
    return bool(args.option_sources[name].kind == COMMAND_LINE)


def long_name(action: argparse.Action) -> str:
    """`error-stacks`; empty for a positional argument and for what cannot be set."""
    if isinstance(action, argparse._HelpAction | argparse._VersionAction):
        return ""
    return next((flag[2:] for flag in action.option_strings if flag.startswith("--")), "")


def settable_options(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """The options of a command that can be set, by key."""
    return {name: action for action in parser._actions if (name := long_name(action))}


class CommandSettings:
    """The part of a file that concerns one command. `faults` are the lines about what is ignored."""

    def __init__(self, command: str, parser: argparse.ArgumentParser, file: ConfigurationFile | None) -> None:
        self._command, self._parser, self._file = command, parser, file
        self.options = settable_options(parser)
        self.faults: list[str] = []
        self.configured: dict[str, ConfiguredOption] = {}

    def read_settings(self) -> None:
        """Converts all settings of the command; raises a ConfigurationError for one that is refused."""
        for error in self._iter_errors():
            raise error

    def iter_faults(self) -> Iterator[str]:
        """Converts all settings that can be converted, and yields a line for every other."""
        yield from map(str, self._iter_errors())
        yield from self.faults

    def _iter_errors(self) -> Iterator[ConfigurationError]:
        if self._file is None:
            return
        table, _, action_name = self._command.partition(" ")
        own = self._file.settings.get(table)
        own_keys = own.keys() if isinstance(own, dict) else ()
        for key, (value, place) in self._file.settings_of(table).items():
            if (table, key) in _RULE_TABLES:
                if not self._file.is_named:
                    what = "is not accepted from a file that was found in a folder"
                    yield ConfigurationError(what, f"{place}: [[{table}.{key}]]", self._name_hint())
                continue
            option = self.options.get(key)
            if action_name and key not in _ACTION_KEYS:
                continue
            if option is None or not self._is_meant(key, option, key in own_keys):
                if key in own_keys and not action_name:
                    hint = suggest(key, self.options)
                    self.faults.append(f"{place}: {key!r} is not an option of `{table}` and is ignored{hint}")
                continue
            try:
                self.configured[key] = ConfiguredOption(self._convert(key, option, value, place), place)
            except ConfigurationError as error:
                yield error
        yield from self._conflicts()

    def _conflicts(self) -> Iterator[ConfigurationError]:
        """Options that cannot be used together."""
        for group in self._parser._mutually_exclusive_groups:
            names = [name for action in group._group_actions if (name := long_name(action)) in self.configured]
            if len(names) > 1:
                place = self.configured[names[1]].place
                what = f"{names[0]!r} and {names[1]!r} cannot be used together"
                yield ConfigurationError(what, place, "remove one of them")

    @staticmethod
    def _is_meant(key: str, option: argparse.Action, is_own: bool) -> bool:
        return is_own or option.metavar == _SHARED_METAVARS.get(key, option.metavar)

    def _convert(self, key: str, option: argparse.Action, value: Any, place: str) -> Any:
        where = f"{place}: {key}"
        self._refuse_untrusted(key, value, where)
        if isinstance(option, argparse._StoreConstAction | argparse.BooleanOptionalAction):
            if not isinstance(value, bool):
                raise ConfigurationError(f"{value!r} is not true or false", where, "correct the line")
            return value
        if isinstance(option, argparse._AppendAction):
            values = value if isinstance(value, list) else [value]
            return [self._convert_text(key, option, each, where) for each in values]
        return self._convert_text(key, option, value, where)

    def _convert_text(self, key: str, option: argparse.Action, value: Any, where: str) -> Any:
        if isinstance(value, bool) or not isinstance(value, str | int | float | date):
            expected = "a list of texts" if isinstance(option, argparse._AppendAction) else "a text or a number"
            raise ConfigurationError(f"{value!r} is not {expected}", where, "correct the line")
        text = self._resolve_path(key, option, str(value), where)
        try:
            converted = self._parser._get_value(option, text)
            self._parser._check_value(option, converted)
        except argparse.ArgumentError as error:
            raise ConfigurationError(error.message, where, "correct the line") from None
        return converted

    def _refuse_untrusted(self, key: str, value: Any, where: str) -> None:
        assert self._file is not None
        if self._file.is_named:
            return
        is_remote_master = key == "master" and not str(value).startswith("local")
        if (key in _TRUSTED_KEYS and value is not False) or is_remote_master:
            what = f"{_as_toml(value)} is not accepted from a file that was found in a folder"
            raise ConfigurationError(what, where, self._trust_hint(key))

    def _trust_hint(self, key: str) -> str:
        assert self._file is not None
        return f"give --{key} on the command line, or {self._name_hint()}"

    def _name_hint(self) -> str:
        assert self._file is not None
        return f"name the file: --config {self._file.shown_path}"

    def _resolve_path(self, key: str, option: argparse.Action, text: str, where: str) -> str:
        """A path in the file is relative to the folder of the file."""
        assert self._file is not None
        prefix, target = "", text
        if option.metavar == _TARGET_METAVAR:
            format_name, equals, target = text.partition("=")
            prefix = format_name + equals
        elif option.metavar not in _PATH_METAVARS or text == "-":
            return text
        if not target:
            return text
        is_address = "://" in target
        path = Path(target) if is_address else self._file.folder / Path(target).expanduser()
        if not self._may_lead_outside(key) and (is_address or not _is_safely_below(path, self._file.folder)):
            what = f"{target} is not in the folder of the file, {self._file.folder}"
            raise ConfigurationError(what, where, self._trust_hint(key))
        return text if is_address else prefix + shown_path(Path(os.path.normpath(path)))

    def _may_lead_outside(self, key: str) -> bool:
        assert self._file is not None
        if self._file.is_named or key in _FREE_PATHS:
            return True
        return key == "lake" and self._command in _COMMANDS_THAT_READ_LAKES


def _as_toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _is_safely_below(path: Path, folder: Path) -> bool:
    """Whether a path stays in a folder, links included, and out of the folders of version control."""
    real, real_folder = Path(os.path.realpath(path)), Path(os.path.realpath(folder))
    if not real.is_relative_to(real_folder):
        return False
    return _VERSION_CONTROL_FOLDERS.isdisjoint(part.lower() for part in real.relative_to(real_folder).parts)


# -- parsing ----------------------------------------------------------------------------------------


def parse_arguments(
    root: argparse.ArgumentParser, command: str, arguments: Sequence[str], settings: CommandSettings
) -> argparse.Namespace:
    """Parses a command line; what is not on it comes from the environment, the file or the defaults.

    The result has `option_sources`: where each value comes from, by destination.
    """
    parser = command_parser(root, command)
    defaults = {action.dest: action.default for action in settings.options.values()}
    for key, action in settings.options.items():
        action.default = argparse.SUPPRESS
        action.required = action.required and key not in settings.configured
    for flag_off in list(_flags_to_turn_off(parser, settings)):
        flag_off.default = argparse.SUPPRESS
    args = root.parse_args(arguments)
    sources = {action.dest: OptionSource(COMMAND_LINE) for action in settings.options.values() if action.dest in args}
    excluded = _excluded_by_command_line(parser, sources)
    for key, action in settings.options.items():
        if action.dest in args:
            continue
        source, value = value_without_command_line(key, settings.configured if key not in excluded else {})
        if source.kind in (DEFAULT, ENVIRONMENT):
            default = defaults[action.dest]
            value = parser._get_value(action, default) if isinstance(default, str) else default
        setattr(args, action.dest, value)
        sources[action.dest] = source
    args.option_sources = sources
    return args


def command_parser(root: argparse.ArgumentParser, command: str) -> argparse.ArgumentParser:
    choices = next(action.choices for action in root._actions if isinstance(action, argparse._SubParsersAction))
    assert choices is not None
    parser: argparse.ArgumentParser = choices[command]
    return parser


def _flags_to_turn_off(parser: argparse.ArgumentParser, settings: CommandSettings) -> Iterator[argparse.Action]:
    """Adds `--no-quiet` for a flag that is on in the file."""
    for key, configured in settings.configured.items():
        action = settings.options[key]
        opposite = f"--{key[3:]}" if key.startswith("no-") else f"--no-{key}"
        if isinstance(action, argparse._StoreTrueAction) and configured.value and opposite[2:] not in settings.options:
            yield parser.add_argument(opposite, dest=action.dest, action="store_false", help=argparse.SUPPRESS)


def _excluded_by_command_line(parser: argparse.ArgumentParser, given: dict[str, OptionSource]) -> set[str]:
    """The options of a file that cannot be used together with one on the command line."""
    groups = [group._group_actions for group in parser._mutually_exclusive_groups]
    return {long_name(a) for group in groups if any(b.dest in given for b in group) for a in group}


def value_without_command_line(key: str, configured: dict[str, ConfiguredOption]) -> tuple[OptionSource, Any]:
    for variable in _VARIABLES.get(key, ()):
        if os.environ.get(variable):
            return OptionSource(ENVIRONMENT, variable), None
    if (option := configured.get(key)) is not None:
        return OptionSource(FILE, option.place), option.value
    return OptionSource(DEFAULT), None
