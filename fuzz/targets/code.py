"""Knowledge of code: objects and refs of git, owners, and source files in every language."""

from __future__ import annotations

import io
import tempfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from deadheat import codeowners
from deadheat.repo import git, owners
from deadheat.repo.git import history, messages
from deadheat.repo.syntax import declarations, function_facts, line_accesses, line_context, parser, text_search
from fuzz.mutations import mutate_lines
from fuzz.targets import FuzzTarget

if TYPE_CHECKING:
    from collections.abc import Iterable

_LANGUAGES = ("go", "c", "cpp", "rust")
_ID = "0123456789abcdef0123456789abcdef01234567"


def read_object(data: bytes) -> None:
    """Commits and trees of any content can be read."""
    message = messages.parse_commit(data)
    assert "\n" not in message.subject
    assert message.time >= 0
    for issue in (*message.closed_issues, *message.named_issues):
        assert issue.number.isdigit()
    assert message.names_data_race in (True, False)
    messages.change_number(message.subject)
    assert len(history._parse_parents(data)) <= data.count(b"parent ")
    for width in (20, 32):
        entries = list(declarations._parse_tree_object(data, width))
        assert len(entries) * width <= len(data)
        assert all(len(blob) == 2 * width for _, blob in entries)


class _FakeGit(git.GitReader):
    """A reader whose git program prints what it is given."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._cache, self._cache_bytes = {}, 0
        self.missing = []
        self._cat_file = None

    def _start_git(self, *_: Any, **__: Any) -> Any:
        return SimpleNamespace(
            stdin=io.BytesIO(), stdout=io.BytesIO(self._data), kill=lambda: None, communicate=lambda: None
        )


def read_batch(data: bytes) -> None:
    """Each object that is asked for has an answer, and its content has its id."""
    names = [_ID, f"{_ID[::-1]}:a.go", "HEAD:b.go"]
    reader = _FakeGit(data)
    answers = list(reader.read_objects(names))
    assert [name for name, _ in answers] == names
    assert all(content is None or len(content) <= len(data) for _, content in answers)


@cache
def _clone() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="deadheat-fuzz-"))
    (folder / "refs").mkdir()
    return folder


def read_refs(data: bytes) -> None:
    """Every ref that is read is a full id."""
    folder = _clone()
    (folder / "packed-refs").write_bytes(data)
    (folder / "HEAD").write_bytes(data[:100])
    refs, _ = git._read_refs(folder)
    assert all(name.startswith("refs/") and git._COMMIT_ID.match(commit) for name, commit in refs.items()), refs
    _, commit = git._read_head(folder, refs)
    assert not commit or git._COMMIT_ID.match(commit)


def read_owners(data: bytes) -> None:
    """Rules of CODEOWNERS and OWNERS are patterns, never code."""
    text = data.decode("utf-8", "surrogateescape")
    who, rule = codeowners.match_codeowners(text, "pkg/cart/cart.go")
    assert rule in text
    assert all(one in text for one in (*who, *owners.parse_approvers(text)))


def read_source(data: bytes) -> None:
    """Facts about any line of any text lie within the text."""
    if len(data) < 2:
        return
    language, line, source = _LANGUAGES[data[0] % 4], data[1] % 64 + 1, data[2:]
    line_count = source.count(b"\n") + 1
    facts = function_facts.function_facts_at(language, source, "a.go", line)
    if facts is not None:
        assert 1 <= facts.first_line <= line <= facts.last_line <= line_count
        assert all(1 <= use.line <= line_count for use in facts.uses)
    for access in line_accesses.accesses_on_line(language, source, line):
        assert access.name or access.path
    line_accesses.dereferenced_on_line(source, line)
    if line <= line_count:
        line_context.comment_requires_lock(source, line)
    word = next((part for part in source.decode("utf-8", "replace").split() if part.isidentifier()), "Add")
    for first, last in parser.scan_function_extents(language, source, word) or ():
        assert 1 <= first <= last <= line_count
    text = source.decode("utf-8", "replace")
    copied = text_search.find_go_copy(text, word) if language == "go" else text_search.find_c_copy(text, word)
    assert copied is None or 1 <= copied <= line_count
    text_search.find_uses({"a.go": source}, word, is_field=False)


def _object_seeds() -> Iterable[bytes]:
    commit = b"tree %s\nparent %s\nauthor A <a@example.com> 1700000000 +0000\n\n"
    name = _ID.encode()
    yield commit % (name, name) + b"cart: fix a data race (#12)\n\nFixes shop/cart#31965 and issues/7\n"
    yield b"100644 a.go\0" + bytes(range(20)) + b"40000 b\0" + bytes(20)


def _batch_seeds() -> Iterable[bytes]:
    yield _ID.encode() + b" blob 5\nhello\n" + _ID[::-1].encode() + b" blob 0\n\nHEAD:b.go missing\n"


def _ref_seeds() -> Iterable[bytes]:
    yield f"# pack-refs with: peeled\n{_ID} refs/heads/main\n{_ID[::-1]} refs/tags/v1\n^{_ID}\n".encode()
    yield b"ref: refs/heads/main\n"


def _owner_seeds() -> Iterable[bytes]:
    yield b"# owners\n*.go @a\n/pkg/** @b c@example.com # comment\n[Section]\ndocs/*/x? @d\napprovers:\n  - e\n- f\n"


_SOURCES = {
    "go": "package a\n\nfunc (c *Cart) Add(n int) error {\n\tc.mu.Lock()\n\tdefer c.mu.Unlock()\n"
    "\tfor i := range c.items {\n"
    "\t\tif c.items[i] == n {\n\t\t\treturn nil\n\t\t}\n\t}\n\tgo func() {\n\t\tc.n++\n\t\t<-c.done\n\t}()\n"
    "\tselect {\n\tcase x := <-c.in:\n\t\tc.last, c.n = x, 1\n\tdefault:\n\t}\n\treturn nil\n}\n",
    "c": "struct cart { int n; };\n/* caller holds the lock */\nstatic int add(struct cart *c, int n)\n{\n"
    "\tspin_lock(&c->lock);\n"
    "\tif (!n)\n\t\treturn -1;\n\tc->n += n;\n\tspin_unlock(&c->lock);\n\treturn 0;\n}\n",
    "cpp": "class Cart {\n public:\n  void add(int n) {\n    std::lock_guard<std::mutex> guard(mu_);\n"
    "    for (auto& i : items_) i += n;\n"
    "    std::thread t([this] { ++n_; });\n    t.join();\n  }\n};\nTEST(Cart, Add) {\n  Cart c;\n  c.add(1);\n}\n",
    "rust": "impl Cart {\n    pub fn add(&mut self, n: u32) -> u32 {\n        let guard = self.mu.lock().unwrap();\n"
    "        unsafe { COUNT += n; }\n        thread::spawn(move || { unsafe { COUNT += 1 } });\n"
    "        match n { 0 => 1, _ => 2 }\n    }\n}\n",
}


def _source_seeds() -> Iterable[bytes]:
    for number, language in enumerate(_LANGUAGES):
        for line in range(3, 16, 2):
            yield bytes((number, line)) + _SOURCES[language].encode()


TARGETS = (
    FuzzTarget("git-objects", read_object, _object_seeds, (), 6, 1024),
    FuzzTarget("git-batch", read_batch, _batch_seeds, (), 3, 512),
    FuzzTarget("git-refs", read_refs, _ref_seeds, (), 2, 512),
    FuzzTarget("owners", read_owners, _owner_seeds, (), 4, 512),
    FuzzTarget("source", read_source, _source_seeds, (mutate_lines,), 4, 2048),
)
