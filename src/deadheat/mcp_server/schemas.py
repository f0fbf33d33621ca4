"""The tools: names, descriptions and JSON schemas. They are constants, so that nothing that is read can change them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deadheat.mcp_server.answers import MAX_LIMIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    JsonDict = dict[str, Any]

MAX_TEXT_CHARACTERS: Final = 1_000_000
MAX_PATCH_CHARACTERS: Final = 200_000
MAX_TRIAL_SECONDS: Final = 3_600
DEFAULT_TRIAL_SECONDS: Final = 300
_REVISION: Final = r"^[0-9A-Za-z][0-9A-Za-z._/@{}~^+-]{0,199}$"


class ToolSchema(NamedTuple):
    """What a client is told about a tool."""

    name: str
    title: str
    description: str
    inputs: Mapping[str, JsonDict]
    data: Mapping[str, JsonDict]  # the fields of `data` in an answer
    required: tuple[str, ...] = ()
    runs_code: bool = False

    @property
    def input_schema(self) -> JsonDict:
        schema: JsonDict = {"type": "object", "properties": dict(self.inputs), "additionalProperties": False}
        return schema | ({"required": list(self.required)} if self.required else {})

    @property
    def output_schema(self) -> JsonDict:
        text = {"type": "string"}
        properties: JsonDict = {
            "notice": {**text, "description": "Which part of the answer is untrusted, and its markers in text."},
            "summary": {**text, "description": "The answer in a sentence, in words of deadheat only."},
            "data": {
                "type": "object",
                "description": "Untrusted: what logs, repositories and lakes say.",
                "properties": dict(self.data),
                "required": list(self.data),
            },
            "cut": {"type": "array", "items": text, "description": "What was left out of the answer."},
            "total": {"type": "integer", "minimum": 0, "description": "Number of items on all pages."},
            "next_cursor": {"type": ["string", "null"], "description": "For the next page; null if there is none."},
        }
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _string(description: str, maximum: int = 4_096, **more: Any) -> JsonDict:
    return {"type": "string", "description": description, "minLength": 1, "maxLength": maximum, **more}


def _strings(description: str, maximum: int, **more: Any) -> JsonDict:
    return {"type": "array", "description": description, "items": _string("", **more), "maxItems": maximum}


def _number(description: str, low: int, high: int, default: int | None = None) -> JsonDict:
    schema: JsonDict = {"type": "integer", "description": description, "minimum": low, "maximum": high}
    return schema if default is None else {**schema, "default": default}


def _revision(description: str) -> JsonDict:
    return _string(description, 200, pattern=_REVISION)


_LIMIT = _number("Items on a page.", 1, MAX_LIMIT, 10)
_CURSOR = _string("`next_cursor` of the answer before; the other arguments are ignored.", 40, pattern=r"^[0-9a-f.]+$")
_PAGES: dict[str, JsonDict] = {"limit": _LIMIT, "cursor": _CURSOR}
_TEXT = _string("The text: a log, an issue, a mail.", MAX_TEXT_CHARACTERS)
_PATH = _string("A file or folder below a root of the server; archives and compressed files are read too.")
_LAKE = _string("The folder of a lake; default: the lake of the server.")
_RACE = _string("Id of a race in the lake, an alias, or at least its first four characters.", 64, pattern="^[0-9a-f]+$")
_REPOS = _strings("Clones of the code; default: those of the server.", 8)
_CHOSEN = _string("If the text or file has several races: the id of one of them.", 64, pattern="^[0-9a-f]+$")
_CODE: dict[str, JsonDict] = {"text": _TEXT, "path": _PATH, "repos": _REPOS, "race": _CHOSEN}
_RACES: JsonDict = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["race", "title"],
        "properties": {"race": {"type": "string"}, "title": {"type": "string"}},
    },
}
_WARNINGS: JsonDict = {"type": "array", "items": {"type": "string"}}
_RACE_LIST: dict[str, JsonDict] = {"races": _RACES, "warnings": _WARNINGS}
_RESULT: dict[str, JsonDict] = {"result": {"type": "object"}, "warnings": _WARNINGS}

_TRIALS: dict[str, JsonDict] = {
    "race": _string(
        "Id of a race: in the lake, or of one of the races in `text` or `path`.", 64, pattern="^[0-9a-f]+$"
    ),
    "text": _TEXT,
    "path": _PATH,
    "lake": _LAKE,
    "repos": _REPOS,
    "at": _revision("The revision that shows the race; default: the one that fits the report."),
    "tests_from": _revision("Take the test files from this revision, such as the fix that brings the test."),
    "seconds": _number("Stop after this time, without building.", 5, MAX_TRIAL_SECONDS, DEFAULT_TRIAL_SECONDS),
    "jobs": _number("Trials at once; default: one per core.", 1, 64),
}
_CONFIDENCE: JsonDict = {
    "type": "number", "description": "That the answer must have.", "minimum": 0.5, "maximum": 0.9999,
}  # fmt: skip

TOOLS: Final[tuple[ToolSchema, ...]] = (
    ToolSchema(
        "scan_text",
        "Find races in a text",
        "Finds the reports of race detectors (Go, ThreadSanitizer, KCSAN, Helgrind, DRD, Miri) in a text, however"
        " damaged, and groups them into races with stable ids.",
        {"text": _TEXT, **_PAGES},
        _RACE_LIST,
    ),
    ToolSchema(
        "scan_paths",
        "Find races in files",
        "Finds the reports of race detectors in files, folders and archives, and groups them into races with stable"
        " ids. Most frequent races first.",
        {"paths": _strings("Files and folders below a root of the server.", 50), **_PAGES},
        _RACE_LIST,
    ),
    ToolSchema(
        "explain",
        "Explain races",
        "The dossier of each race in a text or file: accesses with stacks, the variable, likely causes with evidence"
        " and remedy; with a clone also the racing lines, affected versions, a fix in the history, how to reproduce.",
        {**_CODE, "lake": _LAKE, **_PAGES},
        _RACE_LIST,
    ),
    ToolSchema(
        "list_races",
        "List known races",
        "The races in a lake, most recently seen first, with status (new, recurring, quiet, returned), cause and"
        " counts.",
        {
            "lake": _LAKE,
            "status": {
                "type": "string",
                "enum": ["new", "recurring", "quiet", "returned"],
                "description": "Only these.",
            },
            "detector": _string("Only races of this detector.", 40, pattern="^[a-z-]+$"),
            "test": _string("Only races seen in this test or its sub-tests.", 500),
            **_PAGES,
        },
        _RACE_LIST,
    ),
    ToolSchema(
        "show_race",
        "Show a known race",
        "One race of a lake: its report with both stacks, its history, latest sightings, dossier and verifications.",
        {"race": _RACE, "lake": _LAKE, "sightings": _number("Latest sightings to list.", 0, 50, 5)},
        _RESULT,
        required=("race",),
    ),
    ToolSchema(
        "similar_fixes",
        "Find similar fixes",
        "Past race fixes of the same repository (from `deadheat mine`) that resemble the races in a text or file.",
        {**_CODE, "lake": _LAKE, **_PAGES},
        _RACE_LIST,
    ),
    ToolSchema(
        "reproduce",
        "Reproduce a race",
        "Builds the code that fits a report, runs its test in many processes without network, and says how often the"
        " race shows. Takes minutes; progress has the estimate so far.",
        {**_TRIALS, "runs": _number("Stop after so many trials.", 1, 1_000_000)},
        _RESULT,
        runs_code=True,
    ),
    ToolSchema(
        "verify",
        "Verify a fix",
        "Runs the code before and after a fix in random order until the verdict is proven: fixed, still races, another"
        " race instead, vacuous, or inconclusive. Only the verdict `fixed` means fixed. Give one of `patch`, `fix` and"
        " `worktree`.",
        {
            **_TRIALS,
            "patch": _string("The fix as a unified diff against `at` or HEAD.", MAX_PATCH_CHARACTERS),
            "fix": _revision("The fix is this commit, and the old code its parent."),
            "worktree": {"type": "boolean", "description": "The fix is what is uncommitted in the clone."},
            "confidence": {**_CONFIDENCE, "default": 0.99},
        },
        _RESULT,
        runs_code=True,
    ),
    ToolSchema(
        "bisect",
        "Find the commit of a race",
        "Builds and runs commits until it is known, with a stated probability, which one introduced or fixed a race.",
        {
            **_TRIALS,
            "change": {
                "type": "string",
                "enum": ["introduced", "fixed"],
                "default": "introduced",
                "description": "Which one.",
            },
            "oldest": _revision("The oldest commit of the range."),
            "newest": _revision("The newest commit of the range."),
            "confidence": {**_CONFIDENCE, "default": 0.95},
        },
        _RESULT,
        runs_code=True,
    ),
)
TOOLS_BY_NAME: Final = {tool.name: tool for tool in TOOLS}
