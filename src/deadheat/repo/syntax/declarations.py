"""Searches the sources of one commit for declarations and resolves Go types from them. Not a type checker."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from deadheat.repo.file_versions import is_exported
from deadheat.repo.syntax.parser import language_of_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.repo.file_versions import DeclaredNameIndex
    from deadheat.repo.git import GitReader

_MAX_FILES, _MAX_LISTED = 30_000, 1_000_000
# "	cancelFunc context.CancelFunc // why": a struct field as gofmt formats it
_GO_FIELD = rb"^[ \t]{1,20}(?:\w{1,80}, ){0,8}%s(?:, \w{1,80}){0,8}[ \t]{1,80}([^\s:=(,][^\n`/]{0,200})"
# "	sync.Mutex", "	*Base": embedded fields
_EMBEDDED_FIELD = re.compile(
    rb"^[ \t]{1,20}\*?(?:\w{1,80}\.)?(\w{1,80})(?:\[[^\]\n]{0,200}\])?[ \t]*(?://.*|`.*)?$", re.MULTILINE
)
_STRUCT_START = rb"^type %s(?:\[[^\]\n]{0,200}\])? struct \{"
# "	Config = &DaemonConfig{", "var log *Logger"
_PACKAGE_VARIABLE = (
    rb"^(?:var |\t)%s (?:\*?(?:\w{1,80}\.)?\w{1,80} )?= (?:&|new\()?(?:\w{1,80}\.)?([A-Za-z_]\w{0,80})[{)]"
    rb"|^var %s \*?(?:\w{1,80}\.)?([A-Za-z_]\w{0,80})$"
)
_COLLECTION_TYPE = rb"^type %s ((?:map)?\[.{1,200})$"
_FUNCTION_RESULT = rb"^func (?:\([^)\n]{0,200}\) )?%s(?:\[[^\]\n]{0,200}\])?\([^\n]{0,500}\) ?\(?([*\w.\[\]]+)"
# "type StatementContext struct {"
_STRUCT_HEADER = re.compile(rb"^type (\w+)(?:\[[^\]\n]{0,200}\])? struct \{", re.MULTILINE)


class DeclarationLocation(NamedTuple):
    file: str
    line: int


class StructField(NamedTuple):
    owner: str
    name: str
    kind: str
    location: DeclarationLocation


class CommitTree:
    """The source files of a commit."""

    def __init__(self, git: GitReader, name_index: DeclaredNameIndex, commit: str) -> None:
        self._git, self._name_index, self.commit = git, name_index, commit
        self._blobs_by_folder: dict[str, dict[str, str]] = {}
        self._contents_by_folder: dict[str, dict[str, bytes]] = {}

    @cached_property
    def _go_files(self) -> dict[str, str]:
        """Path and blob id of every Go file that is not vendored or test data."""
        blob_by_path = {}
        listed = self._git.output_lines("ls-tree", "-r", "--full-tree", self.commit)
        for line in islice(listed, _MAX_LISTED):
            meta, _, path = line.partition("\t")
            mode, _, blob = meta.split(" ")[:3]
            if mode.startswith("100") and path.endswith(".go"):
                blob_by_path[path] = blob
        listed.close()
        own_paths = [each for each in blob_by_path if "vendor/" not in each and "testdata/" not in each]
        return {path: blob_by_path[path] for path in own_paths[:_MAX_FILES]}

    @cached_property
    def _names_by_file(self) -> list[tuple[str, str]]:
        """Every Go file with the names it declares."""
        names_by_blob = self._name_index.declared_names(self._go_files.values())
        return [(path, names_by_blob[blob]) for path, blob in self._go_files.items()]

    def folder_files_declaring(self, name: str, path: str) -> dict[str, bytes]:
        """The Go files in the folder of a file that may declare the name."""
        folder = self._folder_blobs(path.rpartition("/")[0])
        files = {file: blob for file, blob in folder.items() if file.endswith(".go")}
        names_by_blob = self._name_index.declared_names(files.values())
        return self._read_files({file: blob for file, blob in files.items() if f" {name} " in names_by_blob[blob]})

    def files_declaring(self, name: str, path: str) -> dict[str, bytes]:
        """The Go files that may declare a name: in the folder, and elsewhere if it is exported."""
        nearby = self.folder_files_declaring(name, path)
        if not is_exported(name):
            return nearby
        word = f" {name} "
        others = [other for other, names in self._names_by_file if word in names and other not in nearby]
        return nearby | self._read_files({other: self._go_files[other] for other in others})

    def _read_files(self, files: dict[str, str]) -> dict[str, bytes]:
        contents = self._git.read_objects(files.values())
        return {path: text or b"" for path, (_, text) in zip(files, contents, strict=True)}

    def folder_paths(self, path: str) -> list[str]:
        """The paths of the source files in the folder of a file."""
        return list(self._folder_blobs(path.rpartition("/")[0]))

    def folder_contents(self, path: str) -> dict[str, bytes]:
        """The contents of the source files in the folder of a file."""
        folder = path.rpartition("/")[0]
        if folder not in self._contents_by_folder:
            self._contents_by_folder[folder] = self._read_files(self._folder_blobs(folder))
        return self._contents_by_folder[folder]

    def _folder_blobs(self, folder: str) -> dict[str, str]:
        """Path and blob id of the source files directly in a folder."""
        if folder not in self._blobs_by_folder:
            name = f"{self.commit}:{folder}" if folder else f"{self.commit}^{{tree}}"
            prefix = f"{folder}/" if folder else ""
            entries = _parse_tree_object(self._git.read_object(name) or b"", len(self.commit) // 2)
            self._blobs_by_folder[folder] = {
                f"{prefix}{file}": blob for file, blob in entries if language_of_path(file)
            }
        return self._blobs_by_folder[folder]

    def find_fields(self, name: str, sources: dict[str, bytes]) -> list[StructField]:
        """Every field of that name in these Go files."""
        matches = _line_matches(_GO_FIELD, name, sources)
        fields = (_field_at_match(name, path, source, match) for path, source, match in matches)
        return [field for field in fields if field]

    def struct_body(self, name: str, sources: dict[str, bytes]) -> bytes | None:
        word = name.encode("utf-8", "replace")
        pattern = re.compile(_STRUCT_START % re.escape(word), re.MULTILINE)
        for path, source in sources.items():
            start = source.find(b"type " + word) if path.endswith(".go") else -1
            if start >= 0 and (match := pattern.search(source, start)):
                end = source.find(b"\n}", match.end())
                return source[match.end() : end if end > 0 else len(source)]
        return None

    def embedded_types(self, name: str, sources: dict[str, bytes]) -> list[str]:
        """The types that a struct embeds."""
        return [match.decode() for match in _EMBEDDED_FIELD.findall(self.struct_body(name, sources) or b"")]

    def result_type(self, function: str, sources: dict[str, bytes]) -> str:
        """The (first) result type of a function or method."""
        matches = _line_matches(_FUNCTION_RESULT, function, sources)
        types = {bare_type_name(match[1].decode("utf-8", "replace")) for _, _, match in matches}
        return types.pop() if len(types) == 1 else ""


def _line_matches(pattern: bytes, name: str, sources: dict[str, bytes]) -> Iterator[tuple[str, bytes, re.Match[bytes]]]:
    """The Go lines that match the pattern with this name, each with its path and source."""
    word = name.encode("utf-8", "replace")
    line_pattern = re.compile(pattern.replace(b"%s", re.escape(word)), re.MULTILINE)
    for path, source in sources.items():
        for start in offsets_of_lines_with(source, word) if path.endswith(".go") else ():
            if match := line_pattern.match(source, start):
                yield path, source, match


def _parse_tree_object(tree: bytes, width: int) -> Iterator[tuple[str, str]]:
    """The files in a git tree object: mode, name, NUL, id of `width` bytes."""
    offset = 0
    while (end := tree.find(b"\0", offset)) >= 0 and len(tree) >= end + 1 + width:
        mode, _, name = tree[offset:end].partition(b" ")
        if mode.startswith(b"100"):
            yield name.decode("utf-8", "surrogateescape"), tree[end + 1 : end + 1 + width].hex()
        offset = end + 1 + width


def bare_type_name(type_text: str) -> str:
    """The bare name of a type: `StatementContext` for `[]*stmtctx.StatementContext`."""
    type_text = type_text.strip().partition(" ")[0] if not type_text.strip().startswith("map") else type_text.strip()
    type_text = re.sub(r"^(?:map\[[^\]]{0,200}\]|\[[^\]]{0,200}\]|\*|chan |<-){0,9}", "", type_text)
    return type_text.partition("[")[0].rpartition(".")[2].strip("*{} ")


def _field_at_match(name: str, path: str, source: bytes, match: re.Match[bytes]) -> StructField | None:
    """The field of a match, if it is inside a struct declaration."""
    start = source.rfind(b"\ntype ", 0, match.start())
    header = _STRUCT_HEADER.match(source, start + 1) if start >= 0 else None
    if header is None or source.find(b"\n}", start, match.start()) >= 0:
        return None
    line = source.count(b"\n", 0, match.start()) + 1
    type_text = match[1].decode("utf-8", "replace").strip()
    return StructField(header[1].decode(), name, type_text, DeclarationLocation(path, line))


def offsets_of_lines_with(source: bytes, word: bytes) -> Iterator[int]:
    """The offset of each line that contains a word."""
    offset = source.find(word)
    while offset >= 0:
        yield source.rfind(b"\n", 0, offset) + 1
        end = source.find(b"\n", offset)
        offset = source.find(word, end) if end >= 0 else -1


# "func (e *IndexNestedLoopHashJoin) Close() error {"
_GO_RECEIVER = re.compile(rb"func \((\w+) \*?(\w+)")
_MAX_EMBEDDING = 3


class GoTypeResolver:
    """Resolves types in one commit: first in the folder of a file, then in the repository."""

    def __init__(self, tree: CommitTree, path: str, body: bytes) -> None:
        self._tree, self._path, self._body = tree, path, body

    def _candidate_files(self, name: str) -> Iterator[dict[str, bytes]]:
        yield self._tree.folder_files_declaring(name, self._path)
        if is_exported(name):
            yield self._tree.files_declaring(name, self._path)

    def variable_type(self, name: str) -> str:
        """The type of a receiver, parameter or local variable, or of a literal: `Hub{}`."""
        if name.endswith("{}"):
            return name.removesuffix("{}")
        receiver = _GO_RECEIVER.match(self._body)
        if receiver and receiver[1].decode() == name:
            return receiver[2].decode()
        word = re.escape(name.encode("utf-8", "replace"))
        for pattern in (
            rb"(?<![\w.])%s(?:, \w{1,80}){0,8} \*?(?:\w+\.)?([A-Za-z_]\w*)[,)\n]" % word,  # a parameter
            rb"\b%s(?:, \w{1,80}){0,8} :?= &?(?:\w+\.)?(\w+)\{" % word,
            rb"\bvar %s \*?(?:\w+\.)?(\w+)" % word,
            rb"\b%s(?:, \w{1,80}){0,8} :?= new\((?:\w+\.)?(\w+)\)" % word,
        ):
            if match := re.search(pattern, self._body):
                return match[1].decode()
        if match := re.search(rb"\b%s(?:, \w{1,80}){0,8} :?= (?:[\w.]{1,200}\.)?(\w+)\(" % word, self._body):
            return self._call_result_type(match[1].decode())
        # "for _, col := range tblInfo.Columns {", "state, ok := m.nodeMap[d.Node]"
        element_pattern = (
            rb"(?:for \w{1,80}, %s :?= range (?:[\w.]{1,200}\.)?(\w+) \{"
            rb"|\b%s(?:, \w{1,80})? :?= (?:[\w.]{1,200}\.)?(\w+)\[)"
        )
        if match := re.search(element_pattern % (word, word), self._body):
            return self.field_type((match[1] or match[2]).decode(), "")
        return ""

    def _package_variable_type(self, name: str) -> str:
        """The type of a package variable: `Config = &DaemonConfig{`, `var log *Logger`."""
        for sources in self._candidate_files(name):
            for _, _, match in _line_matches(_PACKAGE_VARIABLE, name, sources):
                return (match[1] or match[2]).decode("utf-8", "replace")
        return ""

    def _call_result_type(self, function: str) -> str:
        types = (self._tree.result_type(function, sources) for sources in self._candidate_files(function))
        return next((type_name for type_name in types if type_name), "")

    def owner_type(self, path: tuple[str, ...]) -> str:
        """The type that owns the last element of an access path."""
        type_name = self.variable_type(path[0]) or self._package_variable_type(path[0])
        inner = path[1:-1]
        if not type_name and len(path) > 2:  # "option.Config.Debug"
            type_name, inner = self._package_variable_type(path[1]), path[2:-1] if is_exported(path[1]) else inner
        for element in inner:
            if element.endswith("()"):
                type_name = self._call_result_type(element.removesuffix("()"))
            else:
                type_name = self.field_type(element, type_name)
        return type_name

    def field_type(self, name: str, owner: str) -> str:
        """The type of a field of that owner, or the common type of all fields of that name."""
        if field := self.find_field(name, owner):
            return bare_type_name(field.kind)
        for sources in self._candidate_files(name):
            type_names = {bare_type_name(each.kind) for each in self._tree.find_fields(name, sources)}
            if type_names:
                return type_names.pop() if len(type_names) == 1 else ""
        return ""

    def find_field(self, name: str, owner: str) -> StructField | None:
        """The declaration of a field of that owner, or of the only struct with such a field."""
        fields: list[StructField] = []
        for sources in self._candidate_files(name):
            fields = self._tree.find_fields(name, sources)
            if field := self._field_of_struct(owner, fields, _MAX_EMBEDDING):
                return field
        return fields[0] if not owner and len({each.owner for each in fields}) == 1 else None

    def find_element_field(self, name: str, collection: str) -> StructField | None:
        """The field of the elements of a named type: `type peersByName map[string]*Peer`."""
        for sources in self._candidate_files(collection) if collection else ():
            for _, _, match in _line_matches(_COLLECTION_TYPE, collection, sources):
                return self.find_field(name, bare_type_name(match[1].decode("utf-8", "replace")))
        return None

    def _field_of_struct(self, owner: str, fields: list[StructField], depth: int) -> StructField | None:
        """The field of a struct or of a struct it embeds."""
        if not owner or not depth or not fields:
            return None
        for field in fields:
            if field.owner == owner:
                return field
        for embedded_type in self._tree.embedded_types(owner, self._tree.files_declaring(owner, self._path)):
            if embedded := self._field_of_struct(embedded_type, fields, depth - 1):
                return embedded
        return None


_MAX_LINE_BYTES = 4_000
# start of lines that do not declare a package variable
_NOT_VARIABLE_PREFIXES = (b" ", b"\t", b"func", b"type ", b"//", b"/*")


def find_package_variable(tree: CommitTree, near_path: str, name: str) -> DeclarationLocation | None:
    word = name.encode("utf-8", "replace")
    for path, source in tree.folder_contents(near_path).items():
        excluded = (*_NOT_VARIABLE_PREFIXES, b"const ") if path.endswith(".go") else _NOT_VARIABLE_PREFIXES
        for start in offsets_of_lines_with(source, word):
            text = source[start : source.find(b"\n", start, start + _MAX_LINE_BYTES)]
            is_declaration = not text.startswith(excluded) and declares_name(name, text)
            if is_declaration or _is_in_var_block(word, text, source, start):
                return DeclarationLocation(path, source.count(b"\n", 0, start) + 1)
    return None


def _is_in_var_block(word: bytes, text: bytes, source: bytes, start: int) -> bool:
    """Whether the line declares a variable in a `var (…)` block: `	limit = 10`, `	hook func()`."""
    block_start = source.rfind(b"\nvar (", 0, start)
    if block_start < 0 or source.find(b"\n)", block_start, start) >= 0:
        return False
    return bool(re.match(rb"\t(?:\w{1,80}, ){0,8}%s(?:, \w{1,80}){0,8}\s" % re.escape(word), text))


def declares_name(name: str, text: bytes) -> bool:
    word = re.escape(name.encode("utf-8", "replace"))
    return bool(
        re.search(rb"(?<![\w.])%s(?:, \w{1,80}){0,8} :=|\bvar %s\b|\blet (?:mut )?%s\b" % (word, word, word), text)
        or re.match(rb"(?:static |extern |volatile )*[\w:<>*]+[ *]+%s(?:\[\w*\])?\s*[=;]" % word, text)
        or re.search(rb"func.*[(,] ?%s(?:, \w{1,80}){0,8} [\w*\[]" % word, text)
    )
