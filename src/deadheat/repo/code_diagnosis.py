"""Diagnosis with the code of a commit. `PinnedCode` answers the questions of the collectors of facts."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from deadheat.diagnosis import diagnose
from deadheat.diagnosis.facts.code_facts import FunctionFacts, SharedVariable
from deadheat.diagnosis.finding import MIN_CONFIDENCE, UNKNOWN
from deadheat.model import Origin
from deadheat.repo.clone import CommitSnapshot, dependency_of
from deadheat.repo.likely_variable import likely_variable
from deadheat.repo.pinning.line_claims import frame_claims, frame_key
from deadheat.repo.pinning.misfit_frames import relocate_frames
from deadheat.repo.racing_lines import find_racing_lines
from deadheat.repo.syntax import parser, text_search
from deadheat.repo.syntax.declarations import GoTypeResolver, offsets_of_lines_with
from deadheat.repo.syntax.function_facts import function_facts_at
from deadheat.repo.syntax.parser import language_of_file
from deadheat.repo.variable import find_variable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deadheat.diagnosis.finding import Finding
    from deadheat.model import Access, Frame, Report
    from deadheat.repo.clone import Clone
    from deadheat.repo.document_claims import DocumentHints
    from deadheat.repo.pinning.misfit_frames import RelocatedReport
    from deadheat.repo.racing_lines import RacingLine
    from deadheat.repo.syntax.declarations import CommitTree
    from deadheat.repo.variable import RaceVariable

# "pthread_create(&t, NULL, scrub_main, s)", "std::thread t(serve, s);", "th_ = std::thread(&Pool::Work, this);",
# "threads_.emplace_back(&Pool::Work, this)", "std::async(std::launch::async, fetch, url)"
_THREAD_START = re.compile(
    rb"\b(?:pthread_create|thrd_create|kthread_run|j?thread|async|emplace_back|timer_create)\b[^;]{0,200}$"
)
# limits: bytes between the call and the name, lines searched
_MAX_CALL_PREFIX, _MAX_LINES = 200, 50
# "type table[K comparable, V any] map[K]V", "type alarms []Alarm"
_CONTAINER_TYPE = rb"^type %s(?:\[[^\]\n]{0,200}\])? ((?:map\[|\[\w{0,40}\])[^\n]{1,200})"
# "type Bus struct{ ls []Listener }"
_ONE_LINE_STRUCT = rb"^type %s(?:\[[^\]\n]{0,200}\])? struct ?\{([^}\n]{1,300})\}"
# "type Tracker struct {", "class Cache final : public Base {", "struct conn {", "pub struct Pool<T> {"
_TYPE_BODY = (
    rb"^(?:type %s(?:\[[^\]\n]{0,200}\])? struct ?\{"
    rb"|[ \t]{0,8}(?:pub )?(?:class|struct)\s+(?:\w{1,60} )?%s\b[^;{]{0,300}\{)"
)
_END_OF_TYPE = re.compile(rb"^[ \t]{0,8}\};?(?: [^\n]{0,80})?$", re.MULTILINE)
# "	mu sync.RWMutex", "	sync.Mutex", "  mutable std::mutex m_;", "pthread_mutex_t lock;", "inner: Mutex<T>"
_LOCK_MEMBER = re.compile(
    rb"\b(\w{1,80})[ \t]{1,40}\*?(?:\w{1,80}\.)?(?:RW)?Mutex\b"
    rb"|\b(?:sync\.(?:RW)?Mutex|(?:\w{1,20}::)?\w{0,40}[mM]utex(?:_t)?|pthread_rwlock_t|spinlock_t)\b"
    rb"[ \t]{0,40}(\w{1,80})?"
)
# "func (t *Tracker) Consume(", "func Map[K any]("
_GO_FUNCTION = rb"^func (?:\((?:\w{1,80} )?\*?(\w{1,80})(?:\[[^\]\n]{0,200}\])?\) )?%s[(\[]"
# "alarms", "table[string, bool]"
_NAMED_TYPE = re.compile(r"([A-Za-z_]\w*)(?:\[.{0,200}\])?$")
# "go 1.21", in go.mod
_GO_MOD_VERSION = re.compile(rb"^go 1\.(\d{1,3})", re.MULTILINE)
_PER_ITERATION_VERSION = 22  # from Go 1.22 on, each iteration has its own loop variable
# limits: files of a folder, functions of one name
_MAX_FILES, _MAX_SAME_NAME = 40, 6
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_MAX_BODY_BYTES = 1 << 16  # bytes of a function that are searched for names

Findings = tuple["Finding", ...]
SourceFile = tuple[str, bytes]  # path and content


class PinnedCode:
    """The code of one commit; `find_file` returns the path and content of a frame's file."""

    def __init__(
        self,
        find_file: Callable[[Frame], SourceFile | None],
        read_file: Callable[[str], bytes | None],
        tree: CommitTree,
        racing_lines: Sequence[RacingLine],
        variable: RaceVariable | None,
    ) -> None:
        self._find_file, self._read_file, self._tree = find_file, read_file, tree
        self._racing_lines, self._variable = racing_lines, variable

    def function_at(self, frame: Frame) -> FunctionFacts | None:
        file = self._find_file(frame)
        language = language_of_file(*file) if file else None
        if file is None or language is None or frame.line is None:
            return None
        return function_facts_at(language, file[1], file[0], frame.line)

    def _underlying_type(self, name: str, path: str) -> str:
        """`map[K]V` for `type table[K comparable, V any] map[K]V`; empty for a struct."""
        pattern = re.compile(_CONTAINER_TYPE % _escape_name(name), re.MULTILINE)
        for source in self._tree.folder_files_declaring(name, path).values():
            if match := pattern.search(source):
                return match[1].decode("utf-8", "replace").strip()
        return ""

    def find_function(self, name: str, near_frame: Frame, owner: str = "") -> FunctionFacts | None:
        file = self._find_file(near_frame)
        if file is None or not name:
            return None
        nearby = self._nearby_files(near_frame)
        find = _find_go_function if language_of_file(*file) == "go" else _find_c_function
        return find(name, nearby, owner)

    def find_thread_start(self, name: str, near_frame: Frame) -> FunctionFacts | None:
        facts = [
            fact
            for path, text in (self._nearby_files(near_frame) if name else {}).items()
            if (file_language := language_of_file(path, text))
            for line in _thread_start_lines(text, name)[:_MAX_SAME_NAME]
            if (fact := function_facts_at(file_language, text, path, line)) and fact.function != name
        ]
        return facts[0] if len(facts) == 1 else None

    def find_field_uses(self, name: str, near_frame: Frame) -> tuple[FunctionFacts, ...]:
        return text_search.find_uses(self._nearby_files(near_frame), name, is_field=True) if name else ()

    def _nearby_files(self, near_frame: Frame) -> dict[str, bytes]:
        """The frame's file and the other source files of its folder."""
        file = self._find_file(near_frame)
        return {file[0]: file[1]} | self._tree.folder_contents(file[0]) if file else {}

    def find_copy(self, type_name: str, near_frame: Frame) -> tuple[str, int] | None:
        file = self._find_file(near_frame)
        language = language_of_file(*file) if file and type_name.isidentifier() else None
        if file is None or language is None:
            return None
        find_copy_line = text_search.find_go_copy if language == "go" else text_search.find_c_copy
        for path, text in _files_with(type_name, self._nearby_files(near_frame)):
            file_language = language_of_file(path, text)
            if file_language is not None and (file_language == "go") == (language == "go"):
                line = find_copy_line(text.decode("utf-8", "replace"), type_name)
                if line is not None:
                    return path, line
        return None

    def find_lock_of_type(self, type_name: str, near_frame: Frame) -> str | None:
        word = _escape_name(type_name)
        pattern = re.compile(_TYPE_BODY % (word, word), re.MULTILINE)
        for _, text in _files_with(type_name, self._nearby_files(near_frame)) if type_name.isidentifier() else ():
            if match := pattern.search(text):
                body = text[match.end() : match.end() + _MAX_BODY_BYTES]
                end = _END_OF_TYPE.search(body)
                lock = _LOCK_MEMBER.search(body[: end.start()] if end else body)
                return (lock[1] or lock[2] or lock[0]).decode("utf-8", "replace").strip() if lock else ""
        return None

    def shared_variable(self) -> SharedVariable | None:
        variable = self._variable
        if variable is None:
            return self._shared_member()
        location = variable.declaration
        return SharedVariable(
            name=variable.name,
            kind=variable.kind,
            owner=variable.owner or "",
            type=self._declared_type(variable),
            file=location.file if location else "",
            line=location.line if location else None,
            accessed_part=variable.part or "",
            is_certain=variable.sure,
        )

    def _shared_member(self) -> SharedVariable | None:
        """The class member that both C++ lines name without an object."""
        if len(self._racing_lines) < 2 or any(line.is_go for line in self._racing_lines):
            return None
        a, b = self._racing_lines[:2]
        names_a, names_b = ({each.name for each in line.possible_accesses if len(each.path) == 1} for line in (a, b))
        names = sorted((names_a & names_b) - {call.name for call in a.calls + b.calls})
        language = language_of_file(a.path, a.source)
        nearby = self._tree.folder_contents(a.path) if language and names else {}
        declared = [(name, parser.find_member(language or "", nearby, name)) for name in names[:_MAX_SAME_NAME]]
        members = [(name, *member) for name, member in declared if member and member[0]]
        if len(members) != 1:
            return None
        name, owner, file, row = members[0]
        return SharedVariable(name, "field", owner, _stripped_line(nearby[file], row), file, row, is_certain=False)

    def _declared_type(self, variable: RaceVariable) -> str:
        """The declared type of a Go field, else the text of the declaration line."""
        owner = variable.owner or ""
        for line in self._racing_lines if variable.kind == "field" else ():
            if line.is_go:
                field = GoTypeResolver(self._tree, line.path, line.body).find_field(variable.name, owner)
                type_text = field.kind if field else self._one_line_field_type(variable.name, owner, line.path)
                if type_text:
                    named_type = _NAMED_TYPE.match(type_text.strip())
                    path = field.location.file if field else line.path
                    return self._underlying_type(named_type[1] if named_type else "", path) or type_text
        if variable.declaration is None:
            return ""
        file, row = variable.declaration
        return _stripped_line(self._tree.folder_contents(file).get(file, b""), row)

    def _one_line_field_type(self, name: str, owner: str, path: str) -> str:
        """`[]Watcher` for `type Feeding struct{ watchers []Watcher; open bool }`."""
        pattern = re.compile(_ONE_LINE_STRUCT % _escape_name(owner), re.MULTILINE)
        for source in self._tree.folder_files_declaring(name, path).values() if owner else ():
            match = pattern.search(source)
            for part in match[1].decode("utf-8", "replace").split(";") if match else ():
                names, _, type_text = part.strip().rpartition(" ")
                if name in names.replace(",", " ").split():
                    return type_text
        return ""

    def shares_loop_variables(self) -> bool | None:
        return self._has_shared_loop_variables

    @cached_property
    def _has_shared_loop_variables(self) -> bool | None:
        """Decided by the `go` line of the nearest go.mod."""
        for folder in [line.path.split("/")[:-1] for line in self._racing_lines if line.path.endswith(".go")]:
            for end in range(len(folder), -1, -1):
                content = self._read_file("/".join([*folder[:end], "go.mod"]))
                match = _GO_MOD_VERSION.search(content) if content else None
                if match:
                    return int(match[1]) < _PER_ITERATION_VERSION
        return None


def _escape_name(name: str) -> bytes:
    return re.escape(name.encode("utf-8", "replace"))


def _files_with(word: str, files: dict[str, bytes]) -> list[SourceFile]:
    return [(path, text) for path, text in files.items() if word.encode("utf-8", "replace") in text][:_MAX_FILES]


def _stripped_line(source: bytes, line: int) -> str:
    return b"".join(parser.source_lines(source, line, line)).decode("utf-8", "replace").strip()


def _thread_start_lines(source: bytes, name: str) -> list[int]:
    """The lines (from 1) that pass the function to a call that starts a thread."""
    argument = re.compile(rb"(?<![\w.>])(?:&?(?:\w{1,80}::){0,4})%s\s{0,9}[,)}]" % _escape_name(name))
    lines = []
    for offset in islice(offsets_of_lines_with(source, name.encode("utf-8", "replace")), _MAX_LINES):
        end = source.find(b"\n", offset)
        match = argument.search(source, offset, end if end >= 0 else len(source))
        if match and _THREAD_START.search(source, max(0, match.start() - _MAX_CALL_PREFIX), match.start()):
            lines.append(source.count(b"\n", 0, offset) + 1)
    return lines


def _find_c_function(name: str, nearby: dict[str, bytes], owner: str) -> FunctionFacts | None:
    """The only function of that name, or the only one of the owner type."""
    facts = [
        fact
        for path, text in _files_with(name, nearby)
        if (language := language_of_file(path, text)) and language != "go"
        for _, last in parser.parse_function_extents(language, text, name)[:_MAX_SAME_NAME]
        if (fact := function_facts_at(language, text, path, last))
    ]
    of_owner = [fact for fact in facts if not owner or fact.receiver == owner]
    return next((found[0] for found in (of_owner, facts) if len(found) == 1), None)


def _find_go_function(name: str, nearby: dict[str, bytes], owner: str) -> FunctionFacts | None:
    """The only function of that name, or the only one of the owner type; found by text."""
    pattern = re.compile(_GO_FUNCTION % _escape_name(name), re.MULTILINE)
    matches = [
        (path, match)
        for path, text in nearby.items()
        if path.endswith(".go") and name.encode("utf-8", "replace") in text
        for match in islice(pattern.finditer(text), _MAX_SAME_NAME)
    ]
    owner_bytes = owner.encode("utf-8", "replace")
    of_owner = [(path, match) for path, match in matches if not owner or match[1] == owner_bytes]
    if len(of_owner) != 1 and len(matches) != 1:
        return None
    path, match = of_owner[0] if len(of_owner) == 1 else matches[0]
    first = nearby[path].count(b"\n", 0, match.start()) + 1
    spans = parser.parse_function_extents("go", nearby[path], name)
    last = next((end for start, end in spans if start == first), None)
    return function_facts_at("go", nearby[path], path, last) if last else None


def diagnose_at_pin(
    clone: Clone,
    snapshot: CommitSnapshot,
    report: Report,
    misfits: Sequence[Frame],
    racing_lines: Sequence[RacingLine],
    race_variable: RaceVariable | None,
) -> tuple[RaceVariable | None, Findings]:
    """The causes of a report at its pin, and the variable if only relocated frames show it."""
    relocated = relocate_frames(snapshot, report, misfits) if misfits else None
    if relocated is not None and (result := _diagnose_relocated_frames(clone, snapshot, relocated, misfits)):
        return result
    return None, _diagnose_with_code(clone, snapshot, report, misfits, racing_lines, race_variable)


def diagnose_without_pin(
    report: Report, clones: Sequence[Clone], hints: DocumentHints
) -> tuple[RaceVariable | None, Findings]:
    """The causes of a report without a pin, at the revision that the hints name, if any."""
    for clone in clones:
        commit = next((resolved for name in hints.revisions if (resolved := clone.resolve_revision(name))), None)
        frames = [claim.frame for claim in frame_claims(report) if clone.paths_of(claim.frame)]
        if commit is None or not frames:
            continue
        snapshot = CommitSnapshot(clone, clone.tree_at(commit))
        relocated = relocate_frames(snapshot, report, frames)
        has_sites = relocated is not None and relocated.relocated_sites
        if relocated and has_sites and (result := _diagnose_relocated_frames(clone, snapshot, relocated, frames)):
            return result
    return None, diagnose(report)


def _diagnose_relocated_frames(
    clone: Clone, snapshot: CommitSnapshot, relocated: RelocatedReport, misfits: Sequence[Frame]
) -> tuple[RaceVariable | None, Findings] | None:
    racing_lines = find_racing_lines(clone, snapshot.tree, relocated.report)
    race_variable = find_variable(snapshot.tree, racing_lines, relocated.report)
    race_variable = race_variable or likely_variable(snapshot.tree, racing_lines)
    findings = _diagnose_with_code(clone, snapshot, relocated.report, misfits, racing_lines, race_variable)
    weaker = tuple(map(relocated.weaken_finding, filter(relocated.supports_finding, findings)))
    if not weaker:
        return None
    if relocated.relocated_sites and (weaker[0].cause == UNKNOWN or weaker[0].confidence < MIN_CONFIDENCE):
        return None
    if race_variable and relocated.relocated_sites:
        why = "both functions touch it, and nothing else in the way that the detector reports"
        race_variable = replace(race_variable, sure=False, why=why)
    return race_variable, weaker


def _diagnose_with_code(
    clone: Clone,
    snapshot: CommitSnapshot,
    report: Report,
    misfits: Sequence[Frame],
    racing_lines: Sequence[RacingLine],
    race_variable: RaceVariable | None,
) -> Findings:
    code = code_at_pin(snapshot, misfits, racing_lines, race_variable)
    accesses = tuple(_attribute_to_caller(access, clone) for access in report.accesses)
    return diagnose(report._replace(accesses=accesses), code)


def code_at_pin(
    snapshot: CommitSnapshot,
    misfits: Sequence[Frame],
    racing_lines: Sequence[RacingLine],
    race_variable: RaceVariable | None,
) -> PinnedCode:
    """The code of a commit; frames that do not fit have none."""
    misfit_keys = set(map(frame_key, misfits))

    def find_fitting(frame: Frame) -> SourceFile | None:
        return None if frame_key(frame) in misfit_keys else snapshot.file_of(frame)

    return PinnedCode(find_fitting, snapshot.read_file, snapshot.tree, racing_lines, race_variable)


def _attribute_to_caller(access: Access, clone: Clone) -> Access:
    """Attributes an access in a dependency, whose code is not available, to the calling line in the repository."""
    if access.site is None or access.site not in access.stack or _is_in_repository(access.site, clone):
        return access
    for index, frame in enumerate(access.stack):
        if frame.origin is Origin.USER and not frame.stale and _is_in_repository(frame, clone):
            inner = access.stack[:index]
            library = [f._replace(origin=Origin.STDLIB) if f.origin is Origin.USER else f for f in inner]
            stack = (*library, *access.stack[index:])
            return access._replace(stack=stack, site=frame, instruction=None, called_from=None)
    return access


def _is_in_repository(frame: Frame, clone: Clone) -> bool:
    """Whether the file of a frame is in the repository and not vendored."""
    module, paths = dependency_of(frame), clone.paths_of(frame)
    is_vendored = module is not None and module.vendored and all("vendor/" in path for path in paths)
    return bool(paths) and not is_vendored
