"""What the tools do: each one is a command of deadheat and the part of its JSON that answers."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.mcp_server.answers import Answer, KeptLists, keep_first, shorten_value
from deadheat.mcp_server.commands import CommandProgress
from deadheat.mcp_server.schemas import DEFAULT_TRIAL_SECONDS, TOOLS_BY_NAME
from deadheat.printable import shorten, visible_text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from deadheat.mcp_server.access import AllowedFolders
    from deadheat.mcp_server.commands import CommandOutput, CommandRunner, ProgressListener

    JsonDict = dict[str, Any]

_READ_SECONDS, _BUILD_SECONDS = 300.0, 1_800.0
_READS_AT_ONCE, _DEFAULT_LIMIT = 4, 10
_TEXT_FILE, _PATCH_FILE = "text", "change.diff"
_MAX_PLACES, _MAX_WARNINGS, _MAX_SHOWN_ERROR = 10, 20, 300
_DONE, _FOUND, _NOT_KNOWN = 0, 1, 4
_FIXED_VERDICT: Final = "fixed"
# the verdicts of `verify` and `bisect`: other text is not repeated outside of the markers
_VERDICTS: Final = frozenset(
    (
        "fixed",
        "still races",
        "another race instead",
        "vacuous",
        "inconclusive",
        "found",
        "not enough",
        "no commit of the range",
    )
)


class _Source(NamedTuple):
    """Where the report of a race is: the argument of a command, and the files that it needs."""

    argument: str
    files: dict[str, str]


@dataclass
class ToolRunner:
    """Calls tools. `allows_runs` is whether the code of repositories may run."""

    folders: AllowedFolders
    commands: CommandRunner
    allows_runs: bool = False
    _lists: KeptLists = field(default_factory=KeptLists)
    _reads: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_READS_AT_ONCE))
    # trials that run at the same time disturb one another
    _trials: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def call(self, name: str, arguments: JsonDict, listener: ProgressListener) -> Answer:
        """The answer of a tool; raises DeadheatError."""
        tool = TOOLS_BY_NAME.get(name)
        if tool is None:
            raise DeadheatError(
                "no such tool", shorten(visible_text(name), 80), f"there are {', '.join(TOOLS_BY_NAME)}"
            )
        if tool.runs_code and not self.allows_runs:
            raise DeadheatError(
                "this server may not run code", name, "the user can allow it by starting `deadheat mcp --allow-run`"
            )
        _check_arguments(tool.input_schema, arguments)
        methods: dict[str, Callable[[JsonDict, ProgressListener], Awaitable[Answer]]] = {
            "scan_text": self._scan, "scan_paths": self._scan, "explain": self._explain,
            "list_races": self._list_races, "show_race": self._show_race, "similar_fixes": self._similar_fixes,
            "reproduce": self._reproduce, "verify": self._verify, "bisect": self._bisect,
        }  # fmt: skip
        return await methods[name](arguments, listener)

    # -- reading ------------------------------------------------------------------------------------

    async def _read(
        self,
        words: Sequence[str],
        files: dict[str, str],
        listener: ProgressListener,
        statuses: Sequence[int] = (_DONE,),
    ) -> CommandOutput:
        async with self._reads:
            return await self.commands.run(words, files, statuses, _READ_SECONDS, listener)

    async def _scan(self, given: JsonDict, listener: ProgressListener) -> Answer:
        if "cursor" in given:
            return self._list_page("scan", given)
        if "paths" in given:
            paths, files = [self.folders.find_path(path) for path in given["paths"]], {}
        else:
            paths, files = [_TEXT_FILE], {_TEXT_FILE: _needed(given, "text")}
        if not paths:
            raise DeadheatError("no path is named", do="give at least one in `paths`")
        result = await self._read(["scan", "--format", "jsonl", *paths], files, listener, (_DONE, _FOUND))
        races = _group_reports(_parse_lines(result))
        return self._list_page("scan", given, races, result)

    async def _explain(self, given: JsonDict, listener: ProgressListener) -> Answer:
        if "cursor" in given:
            return self._list_page("explain", given)
        races, result = await self._explain_races(given, listener)
        return self._list_page("explain", given, races, result)

    async def _explain_races(self, given: JsonDict, listener: ProgressListener) -> tuple[list[JsonDict], CommandOutput]:
        source = self._report_source(given)
        words = ["explain", source.argument, "--format", "json", *self._repo_words(given)]
        if "lake" in given or self.folders.lake:
            words.append(f"--lake={self.folders.find_lake(given.get('lake'))}")
        result = await self._read(words, source.files, listener)
        races = [race for race in result.parse_json() if race["race"].startswith(given.get("race", ""))]
        return keep_first(races), result

    async def _similar_fixes(self, given: JsonDict, listener: ProgressListener) -> Answer:
        if "cursor" in given:
            return self._list_page("similar_fixes", given)
        self.folders.find_lake(given.get("lake"))  # past fixes are in a lake
        races, result = await self._explain_races(given, listener)
        names = ("race", "title", "similar_fixes", "fixed_by")
        found = [{name: race.get(name) for name in names} for race in races]
        return self._list_page("similar_fixes", given, found, result)

    async def _list_races(self, given: JsonDict, listener: ProgressListener) -> Answer:
        if "cursor" in given:
            return self._list_page("list_races", given)
        words = ["races", "--format", "json", f"--lake={self.folders.find_lake(given.get('lake'))}"]
        words += [f"--{name}={given[name]}" for name in ("status", "detector", "test") if name in given]
        result = await self._read(words, {}, listener)
        return self._list_page("list_races", given, keep_first(result.parse_json()), result)

    async def _show_race(self, given: JsonDict, listener: ProgressListener) -> Answer:
        lake = self.folders.find_lake(given.get("lake"))
        sightings = f"--sightings={given.get('sightings', 5)}"
        words = ["show", given["race"], f"--lake={lake}", "--format", "json", sightings]
        result = await self._read(words, {}, listener)
        race = result.parse_json()
        return _single_answer("1 race", race, result, [_race_line(race)])

    # -- running ------------------------------------------------------------------------------------

    async def _reproduce(self, given: JsonDict, listener: ProgressListener) -> Answer:
        words = [f"--runs={given['runs']}"] if "runs" in given else []
        result = await self._run_trials("reproduce", given, words, {}, listener, (_DONE, _FOUND))
        found = result.parse_json()
        summary = f"seen in {int(found['sightings'])} of {int(found['runs'])} runs"
        return _single_answer(summary, found, result, [_race_line(found), f"command: {found['command']}"])

    async def _verify(self, given: JsonDict, listener: ProgressListener) -> Answer:
        words, files = _change_words(given)
        words.append(f"--confidence={given.get('confidence', 0.99)}")
        result = await self._run_trials("verify", given, words, files, listener, (_DONE, _FOUND, _NOT_KNOWN))
        found = result.parse_json()
        counts = [f"{side} code: seen in {found[side]['sightings']} of {found[side]['runs']} runs"
                  for side in ("old", "new")]  # fmt: skip
        verdict = _known_verdict(found)
        advice = "" if verdict == _FIXED_VERDICT else "; this does not mean that it is fixed"
        summary = f"verdict: {verdict}; {', '.join(counts)}{advice}"
        return _single_answer(summary, found, result, [_race_line(found), f"why: {found.get('reason')}"])

    async def _bisect(self, given: JsonDict, listener: ProgressListener) -> Answer:
        words = [f"--{given.get('change', 'introduced')}", f"--confidence={given.get('confidence', 0.95)}"]
        words += [
            f"--{option}={given[name]}" for option, name in (("from", "oldest"), ("to", "newest")) if name in given
        ]
        result = await self._run_trials("bisect", given, words, {}, listener, (_DONE, _FOUND, _NOT_KNOWN))
        found = result.parse_json()
        return _single_answer(f"verdict: {_known_verdict(found)}", found, result, [_race_line(found)])

    async def _run_trials(
        self, command: str, given: JsonDict, more: Sequence[str], files: dict[str, str], listener: ProgressListener,
        statuses: Sequence[int],
    ) -> CommandOutput:  # fmt: skip
        source = self._race_source(given)
        repos = self._repo_words(given)
        if not repos:
            raise DeadheatError("no clone is named", do="give `repos`, or start the server with --repo DIR")
        seconds = given.get("seconds", DEFAULT_TRIAL_SECONDS)
        words = [command, source.argument, "--yes", "--format", "json", f"--time={seconds}s", *repos, *more]
        if (source.files and "race" in given) or ("path" in given and "race" in given):
            words.append(f"--race={given['race']}")
        if "lake" in given or not (source.files or "path" in given):
            words.append(f"--lake={self.folders.find_lake(given.get('lake'))}")
        names = (("at", "at"), ("tests-from", "tests_from"), ("jobs", "jobs"))
        words += [f"--{option}={given[name]}" for option, name in names if name in given]
        if self._trials.locked():
            await listener(CommandProgress("waiting for the trials of another call", 0.0))
        async with self._trials:
            return await self.commands.run(
                words, {**source.files, **files}, statuses, seconds + _BUILD_SECONDS, listener
            )

    # -- arguments ----------------------------------------------------------------------------------

    def _report_source(self, given: JsonDict) -> _Source:
        """The file of a text, or a path below a root."""
        if ("text" in given) == ("path" in given):
            raise DeadheatError("the report is missing or given more than once", do="give one of `text` and `path`")
        if "text" in given:
            return _Source(_TEXT_FILE, {_TEXT_FILE: given["text"]})
        return _Source(self.folders.find_path(given["path"]), {})

    def _race_source(self, given: JsonDict) -> _Source:
        if "race" in given and "text" not in given and "path" not in given:
            return _Source(given["race"], {})
        return self._report_source(given)

    def _repo_words(self, given: JsonDict) -> list[str]:
        return [f"--repo={path}" for path in self.folders.find_repositories(given.get("repos", ()))]

    # -- answers ------------------------------------------------------------------------------------

    def _list_page(
        self, tool: str, given: JsonDict, items: list[JsonDict] | None = None, result: CommandOutput | None = None
    ) -> Answer:
        page = self._lists.page(tool, items or [], given.get("limit", _DEFAULT_LIMIT), given.get("cursor"))
        summary = f"{page.total} {'race' if page.total == 1 else 'races'}"
        if len(page.items) < page.total:
            summary = f"{summary}, {len(page.items)} of them here"
        cut = [*page.cut, *(["only the beginning of the answer was read"] if result and result.is_cut else [])]
        data = {"races": page.items, "warnings": _warnings(result)}
        return Answer(summary, data, [*map(_race_line, page.items)], cut, page.total, page.next_cursor)


def _check_arguments(schema: JsonDict, arguments: JsonDict) -> None:
    from jsonschema import Draft202012Validator  # slow to import

    for error in Draft202012Validator(schema).iter_errors(arguments):
        where = ".".join(map(str, error.absolute_path)) or "arguments"
        raise DeadheatError(
            shorten(visible_text(error.message), _MAX_SHOWN_ERROR), where[:80], "see the schema of the tool"
        )


def _needed(given: JsonDict, name: str) -> str:
    if name not in given:
        raise DeadheatError(f"`{name}` is missing", do=f"give `{name}`, or the cursor of an answer")
    return str(given[name])


def _change_words(given: JsonDict) -> tuple[list[str], dict[str, str]]:
    """The options and files for the new code of `verify`."""
    if ("patch" in given) + ("fix" in given) + bool(given.get("worktree")) != 1:
        raise DeadheatError("the fix is missing or given more than once", do="give one of `patch`, `fix`, `worktree`")
    if "patch" in given:
        return [f"--patch={_PATCH_FILE}"], {_PATCH_FILE: given["patch"]}
    return ([f"--fix={given['fix']}"] if "fix" in given else ["--worktree"]), {}


def _parse_lines(result: CommandOutput) -> Iterable[JsonDict]:
    for line in result.output.splitlines():
        try:
            yield json.loads(line)
        except ValueError:  # the last line of an output that was cut
            if not result.is_cut:
                raise


def _group_reports(reports: Iterable[JsonDict]) -> list[JsonDict]:
    """One item per race, with its best report without stacks, which `explain` gives; the most frequent race first."""
    races: dict[str, JsonDict] = {}
    for report in reports:
        race = races.setdefault(report["race"], {"reports": 0, "places": [], "damage_count": 99})
        race["reports"] += 1
        if len(race["places"]) < _MAX_PLACES:
            race["places"].append(report["document"])
        damage = len(report["damage"]) - 10 * len(report["accesses"])
        if damage < race["damage_count"]:
            race.update(_without_stacks(report), damage_count=damage)
    for race in races.values():
        del race["damage_count"]
    return keep_first(sorted(races.values(), key=lambda race: -race["reports"]))


def _without_stacks(report: JsonDict) -> JsonDict:
    accesses = [{key: value for key, value in each.items() if key != "stack"} for each in report["accesses"]]
    names = ("race", "title", "detector", "kind", "test", "causes", "damage", "fingerprint")
    return {**{name: report[name] for name in names}, "accesses": accesses}


def _single_answer(summary: str, value: JsonDict, result: CommandOutput, lines: list[str]) -> Answer:
    short = shorten_value(value, "result")
    return Answer(summary, {"result": short.value, "warnings": _warnings(result)}, lines, short.notes)


def _warnings(result: CommandOutput | None) -> list[str]:
    return [shorten(visible_text(line), _MAX_SHOWN_ERROR) for line in (result.messages if result else ())][
        :_MAX_WARNINGS
    ]


def _known_verdict(found: JsonDict) -> str:
    verdict = str(found.get("verdict"))
    return verdict if verdict in _VERDICTS else "see `data.result.verdict`"


def _race_line(race: JsonDict) -> str:
    """`race 47d9f89a: read/write race in …; cause: A lock on one side only; fixed by 96a90c08`."""
    parts = [f"race {race.get('race')}: {race.get('title')}"]
    if count := race.get("reports") or race.get("sightings"):
        parts.append("seen once" if count == 1 else f"seen {count} times")
    if isinstance(variable := race.get("variable"), dict):
        parts.append(f"variable {variable.get('name')} of {variable.get('owner')}")
    causes = race.get("causes")
    if isinstance(causes, list) and causes and isinstance(causes[0], dict):
        parts.append(f"cause: {causes[0].get('title') or causes[0].get('cause')}")
    for fix in (race.get("fixed_by") or race.get("similar_fixes") or ())[:1]:
        parts.append(f"fix: {str(fix.get('commit'))[:12]} {fix.get('subject')}")
    if isinstance(reproduce := race.get("reproduce"), dict):
        parts.append(f"reproduce: {reproduce.get('command')}")
    return "; ".join(parts)
