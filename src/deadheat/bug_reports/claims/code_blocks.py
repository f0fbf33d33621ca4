"""Finds what the author quotes as code: the steps to reproduce (shell commands, SQL statements), and source code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.bug_reports.claims import ClaimFinder, ClaimMatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.bug_reports.claims.outline import BugReportOutline, OutlineBlock, OutlineLine

_SHELL_LANGUAGES = frozenset(("sh", "bash", "shell", "zsh", "fish", "console", "shell-session", "sh-session",
                    "terminal", "powershell", "ps1", "cmd", "bat"))  # fmt: skip
_SQL_LANGUAGES = frozenset(("sql", "mysql", "tidb", "mariadb", "postgres", "postgresql", "pgsql", "plsql",
                       "sqlite", "cockroach"))  # fmt: skip
_UNLABELLED = frozenset(("", "text", "txt", "plain", "plaintext", "none"))

# programs that begin a command line
_PROGRAM_NAME = (
    r"(?:sudo |time |env |exec |nohup |timeout \S{1,10} |while true; do "
    r"|for \S{1,20} in [^;\n]{1,80}; do ){0,4}"
    r"(?:go|git|make|cmake|ninja|cargo|rustc|rustup|docker|docker-compose|kubectl|helm|minikube|kind|curl|wget"
    r"|cd|export|echo|cat|tee|bazel|bazelisk|gcc|g\+\+|clang|clang\+\+|valgrind|python3?|pip3?|pytest|npm|yarn"
    r"|node|java|mvn|gradle|tiup|mysql|psql|redis-cli|etcdctl|etcd|sysbench|stress|stress-ng|taskset|perf"
    r"|modprobe|insmod|mount|umount|sysctl|dmesg|ip|tc|iptables|ping|ssh|scp|tar|unzip|apt|apt-get|yum|dnf|brew"
    r"|systemctl|service|gotestsum|dlv|strace|gdb|lldb|syz-execprog|syz-repro|stressapptest|seq|xargs|find"
    r"|rm|mkdir|cp|mv|chmod|touch|dd|kill|pkill|sleep|watch|swift|xcodebuild|nc|dep|glide|just|tox|bash|sh|ab|wrk|hey)"
)
_PROGRAM_PATH = r"(?:\./|\.\./|~/|/(?:usr|bin|opt|home|tmp)/)[\w./-]{1,200}"
_ASSIGNMENT = r"[A-Z_][A-Z0-9_]{1,60}=(?:\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'|[^\s;]{0,400})"
# "GOMAXPROCS=2 go test -race ./...", "./reproduce.sh", "sudo sysctl kernel.x=1"
_COMMAND_START = re.compile(
    rf"(?:{_ASSIGNMENT}[ \t]+){{0,8}}(?:{_PROGRAM_NAME}(?=[ \t]|$)|{_PROGRAM_PATH}|{_ASSIGNMENT}$)"
)
# "$ go test", "user@host:~/src$ go test", "% make", "PS C:\src> go test"
_SHELL_PROMPT = re.compile(
    r"[ \t]*(?:\$|%|❯|➜|(?:\([\w.-]{1,30}\) )?[\w.-]{1,32}@[\w.-]{1,64}[: ][^\s$#]{0,100}[$#]"
    r"|\[[\w.-]{1,32}@[\w.-]{1,64} [^\]\s]{1,60}\][$#]|PS [A-Z]:[^>\n]{0,100}>"
    r"|[\w~/.-]{1,60} ?\$)[ \t]+(?=\S)"
)
_ROOT_PROMPT = re.compile(r"[ \t]*#[ \t]+(?=\S)")
_HERE_DOCUMENT = re.compile(r"<<-?[ \t]*['\"]?(\w{1,40})['\"]?")
_INLINE_CODE = re.compile(r"(?<!`)`([^`\n]{3,400})`(?!`)")


class QuotedCommand(NamedTuple):
    """A command: its text, location and session."""

    text: str
    start: int
    end: int
    session: str = ""


def shell_commands(outline: BugReportOutline) -> Iterator[QuotedCommand]:
    """Yields shell commands in code blocks and in inline code."""
    for block in outline.blocks:
        if block.kind == "code" and (block.info_string in _SHELL_LANGUAGES or block.info_string in _UNLABELLED):
            yield from _commands_in_code(outline, block)
        elif block.kind == "prose":
            for match in _INLINE_CODE.finditer(outline.text, block.start, block.end):
                # a single word is not a command: "`go`", "`make`"
                is_command = " " in match[1].strip() and not match[1].endswith(":")
                if is_command and _COMMAND_START.match(match[1]):
                    yield QuotedCommand(match[1], *match.span(1))


def _commands_in_code(outline: BugReportOutline, block: OutlineBlock) -> Iterator[QuotedCommand]:
    lines = [line for line in outline.block_lines(block) if not outline.is_in_report(line.start)]
    has_prompts = any(_SHELL_PROMPT.match(line.text) for line in lines)
    first = next((line.text for line in lines if line.text.strip()), "")
    if not has_prompts and block.info_string in _UNLABELLED and not _COMMAND_START.match(first.strip()):
        return  # program output
    index, here_end = 0, ""
    while index < len(lines):
        line = lines[index]
        index += 1
        if here_end:
            here_end = "" if line.text.strip() == here_end else here_end
            continue
        start = _command_start(line, has_prompts, block.info_string in _SHELL_LANGUAGES)
        if start is None:
            continue
        end = line.start + len(line.text)
        while outline.text.endswith("\\", start, end) and index < len(lines):
            end = lines[index].start + len(lines[index].text)
            index += 1
        command_text = outline.text[start:end].rstrip()
        if here_match := _HERE_DOCUMENT.search(command_text):
            here_end = here_match[1]
        yield QuotedCommand(command_text.replace("\\\r\n", " ").replace("\\\n", " "), start, start + len(command_text))


def _command_start(line: OutlineLine, has_prompts: bool, is_labelled: bool) -> int | None:
    """The offset of the command in a line, or None."""
    if prompt := _SHELL_PROMPT.match(line.text):
        return line.start + prompt.end()
    if has_prompts:
        return None
    if (root := _ROOT_PROMPT.match(line.text)) and is_labelled and _COMMAND_START.match(line.text, root.end()):
        return None if line.text.endswith(".") else line.start + root.end()
    indent = len(line.text) - len(line.text.lstrip())
    return line.start + indent if _COMMAND_START.match(line.text, indent) else None


_SQL_VERB = re.compile(
    r"(?:select|insert|update|delete|replace|create|drop|alter|begin|commit|rollback|set|use|start\s+transaction"
    r"|explain|analyze|truncate|prepare|execute|deallocate|lock\s+tables?|unlock|savepoint|release\s+savepoint"
    r"|admin|show|with|desc|describe|call|grant|revoke|split\s+table|split\s+region|trace|flush|load\s+data"
    r"|rename|optimize|kill|do\s+sleep|vacuum|pragma|copy|fetch|declare|recover|batch)\b",
    re.IGNORECASE,
)
_SQL_TOKEN = re.compile(
    r"(?P<text>'(?:[^'\\]|\\.|''){0,20000}+'|\"(?:[^\"\\]|\\.|\"\"){0,20000}+\"|`[^`]{0,400}`)"
    r"|(?P<block>/\*.{0,400}?\*/)|(?P<line>(?:--[ \t]|--$|\#)[^\n]*)|(?P<end>;)",
    re.DOTALL | re.MULTILINE,
)
_NOT_SPACE = re.compile(r"\S")
# names of sessions: "t1", "session 2", "txn A", "conn1", "client-2", "T1", "init"
_SESSION_NAME = re.compile(
    r"(?:in |on |from )?(?:(?:session|sess|s|conn|connection|client|txn|trx|tx|transaction|t|terminal"
    r"|thread|user|window|tidb|node)[ _-]?#?(?:\d{1,3}|[a-z]|one|two|three)"
    r"|init(?:ialize|ial)?|setup|prepare)"
    r"[ \t]*[:.]?$",
    re.IGNORECASE,
)
# "mysql> ", "MySQL [test]> ", "tidb> ", "t1> ", "postgres=# ", "session 2> "
_CLIENT_PROMPT = re.compile(r"[ \t]*(?P<who>[A-Za-z][\w@.:\[\]() -]{0,50}?)(?:>|=#|=>)[ \t]+(?=\S)")
_CONTINUATION_PROMPT = re.compile(r"[ \t]*(?:->|'>|\">|-#)[ \t]")
_TABLE_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")


def sql_statements(outline: BugReportOutline) -> Iterator[QuotedCommand]:
    """Yields SQL statements in code blocks and in tables with a column per session."""
    for block in outline.blocks:
        lines = outline.block_lines(block)
        if any(_TABLE_ROW.match(line.text) for line in lines):
            yield from _statements_in_table(lines)
        if block.kind != "code" or block.has_report:
            continue
        text = outline.block_text(block)
        if any(_client_session(line) for line in lines):
            yield from _statements_in_client(lines)
        elif block.info_string in _SQL_LANGUAGES or (block.info_string in _UNLABELLED and _looks_like_sql(text)):
            yield from _statements_in_script(outline, block)


def _looks_like_sql(text: str) -> bool:
    """Whether unlabelled code begins with a complete SQL statement."""
    for match in _SQL_TOKEN.finditer(text):
        if match["end"]:
            first = _SQL_TOKEN.sub(lambda m: m["text"] or "", text[: match.end()]).strip()
            return _SQL_VERB.match(first) is not None
    return False


def _statements_in_script(outline: BugReportOutline, block: OutlineBlock) -> Iterator[QuotedCommand]:
    session, inline, start = "", "", block.start
    last: QuotedCommand | None = None
    for token in [*_SQL_TOKEN.finditer(outline.text, block.start, block.end), None]:
        end = block.end if token is None else token.end()
        if token is None or token["end"]:
            if last:
                yield last
            last = _parse_statement(outline.text, start, end, inline or session)
            inline, start = "", end
        elif token["block"] and (name := _session_name(token["block"][2:-2])):
            inline = inline or name
        elif token["line"] and (name := _session_name(token["line"].lstrip("-# \t"))):
            if last and outline.text.find("\n", last.end, token.start()) < 0:
                last = last._replace(session=name)  # "begin; -- t1"
            else:
                session = name
    if last:
        yield last


def _parse_statement(text: str, start: int, end: int, session: str) -> QuotedCommand | None:
    """A statement without the comments around it, or None."""
    position = first = _skip_space(text, start, end)
    while token := _SQL_TOKEN.match(text, first, end):
        is_comment = token["line"] or (token["block"] and not token["block"].startswith(("/*+", "/*!")))
        if not is_comment:
            break
        first = _skip_space(text, token.end(), end)
        if token["line"]:
            position = first
    statement = text[first:end].strip()
    if not _SQL_VERB.match(statement):
        return None
    return QuotedCommand(statement.rstrip("; \t\r\n"), position, start + len(text[start:end].rstrip()), session)


def _skip_space(text: str, start: int, end: int) -> int:
    found = _NOT_SPACE.search(text, start, end)
    return found.start() if found else end


def _session_name(comment: str) -> str:
    name = comment.strip()
    return name.rstrip(":. ") if _SESSION_NAME.match(name) else ""


def _client_session(line: OutlineLine) -> str | None:
    """The session on a line with a database client's prompt: "" for a client without a name."""
    match = _CLIENT_PROMPT.match(line.text)
    if match is None or not _SQL_VERB.match(line.text[match.end() :].lstrip("/*+ ")):
        return None
    return match["who"] if _SESSION_NAME.match(match["who"]) else ""


def _statements_in_client(lines: list[OutlineLine]) -> Iterator[QuotedCommand]:
    for index, line in enumerate(lines):
        session_name = _client_session(line)
        match = _CLIENT_PROMPT.match(line.text)
        if session_name is None or match is None:
            continue
        start, end = line.start + match.end(), line.start + len(line.text)
        statement_lines = [line.text[match.end() :]]
        for next_line in lines[index + 1 :]:
            continuation = _CONTINUATION_PROMPT.match(next_line.text)
            if continuation is None:
                break
            end = next_line.start + len(next_line.text)
            statement_lines.append(next_line.text[continuation.end() :])
        yield QuotedCommand(" ".join(statement_lines).strip().rstrip("; "), start, end, session_name)


def _statements_in_table(lines: list[OutlineLine]) -> Iterator[QuotedCommand]:
    """Yields statements in rows below a header that names sessions: `| session 1 | session 2 |`."""
    names: list[str] = []
    for line in lines:
        if not _TABLE_ROW.match(line.text):
            names = []
            continue
        cells = line.text.split("|")[1:-1]
        if not names:
            names = [_session_name(cell.strip(" *_`")) for cell in cells]
            names = names if any(names) else []
            continue
        position = line.start + line.text.index("|") + 1
        for name, cell in zip(names, cells, strict=False):
            cell_text = cell.strip(" \t`")
            if name and _SQL_VERB.match(cell_text):
                cell_start = position + cell.index(cell_text)
                yield QuotedCommand(cell_text.rstrip("; "), cell_start, cell_start + len(cell_text), name)
            position += len(cell) + 1


def _find_steps(outline: BugReportOutline) -> Iterator[ClaimMatch]:
    for role, found in (("shell", shell_commands(outline)), ("sql", sql_statements(outline))):
        for command in found:
            session = (("session", command.session),) if command.session else ()
            yield ClaimMatch(command.text, command.start, command.end, role, session)


_LANGUAGE_NAMES = {
    **dict.fromkeys(("cpp", "c++", "cc", "cxx", "hpp"), "c++"),
    **{name: name for name in ("go", "c", "rust", "swift", "java", "kotlin", "python", "javascript")},
    **{name: name for name in ("typescript", "diff", "zig", "ruby", "scala")},
    "golang": "go", "h": "c", "rs": "rust", "py": "python", "js": "javascript", "ts": "typescript",
    "patch": "diff", "objc": "objective-c", "csharp": "c#", "asm": "assembly",
}  # fmt: skip
_UNLABELLED_SOURCE = frozenset(("", "text", "txt", "plain"))
# line beginnings that only source code has
_GO_LINE = re.compile(
    r"^[ \t+-]{0,40}(?:package \w+[ \t]*$|func (?:\([^)\n]{1,100}\) )?\w{1,100}[(\[]"
    r"|type \w{1,100} (?:struct|interface)\b|\w[\w., ]{0,80} :?= \S|defer \S|go func\(|import \("
    r"|if err != nil \{|return\b|for .{0,100}\{)",
    re.MULTILINE,
)
_GO_EVIDENCE = re.compile(r"\bfunc (?:\([^)\n]{1,100}\) )?\w{0,100}\(|:= |\bgo func\(|^package \w+\s*$", re.MULTILINE)
_RUST_LINE = re.compile(
    r"^[ \t]{0,40}(?:(?:pub(?:\([a-z]{1,10}\))? )?(?:async |unsafe |const ){0,3}fn \w{1,100}"
    r"|let (?:mut )?\w{1,60}|impl\b.{0,100}\{|use [\w:]{2,100};)",
    re.MULTILINE,
)
_C_LINE = re.compile(
    r"^[ \t]{0,40}(?:#\s{0,9}include [<\"]|(?:static |inline |const |unsigned |struct |void |int |long "
    r"|char |bool |auto |std::){1,6}[\w:*<> ,&]{1,80}[({=;])",
    re.MULTILINE,
)
_FUNCTION_PATTERNS = {
    # "func (txn *LazyTxn) changePendingToValid(", "func Map[K any]("
    "go": re.compile(
        r"\bfunc (?:\((?:\w{1,60} )?(?P<owner>\*?[\w.]{1,100})(?:\[[^\]\n]{0,100}\])?\) )?"
        r"(?P<name>\w{1,100})(?:\[[^\]\n]{0,200}\])?\("
    ),
    # "pub async fn drain<T>("
    "rust": re.compile(r"\bfn (?P<owner>)(?P<name>\w{1,100})\s{0,9}[(<]"),
    # "static int bump(struct counter *c)" at the beginning of a line, without a semicolon
    "c": re.compile(
        r"^(?P<owner>)(?:[\w*&:<>,]{1,60} ){1,6}[*&]{0,2}(?P<name>[A-Za-z_][\w:~]{1,100})\([^;\n]{0,300}$", re.MULTILINE
    ),
    "python": re.compile(r"\bdef (?P<owner>)(?P<name>\w{1,100})\("),
    "swift": re.compile(r"\bfunc (?P<owner>)(?P<name>\w{1,100})\s{0,9}[(<]"),
}
# "https://github.com/acme/outbox/blob/main/store/store.go#L20-L31"
_SOURCE_LINK = re.compile(
    r"https?://[\w.-]{3,60}/([\w.-]{1,60}/[\w.-]{1,100})/(?:-/)?blob/([\w.-]{1,100})/([\w./@%+-]{1,300}\.\w{1,8})"
    r"(?:\#L(\d{1,7})(?:-L?(\d{1,7}))?)?"
)
_MAX_FUNCTIONS = 12


def _find_source_code(outline: BugReportOutline) -> Iterator[ClaimMatch]:
    for block in outline.code_blocks():
        if not block.has_report and (language := _block_language(outline, block)):
            yield _quoted_match(outline, block, language)
    for block in outline.prose_blocks():
        for match in _SOURCE_LINK.finditer(outline.text, block.start, block.end):
            yield _linked_match(match)


def _quoted_match(outline: BugReportOutline, block: OutlineBlock, language: str) -> ClaimMatch:
    source = outline.block_text(block)
    functions = _function_names(source, language)
    details = [("language", language), *(("function", name) for name in functions)]
    start = block.start + len(source) - len(source.lstrip("\r\n"))
    end = max(start, block.start + len(source.rstrip()))
    return ClaimMatch(functions[0] if functions else language, start, end, "quoted", tuple(details))


def _linked_match(match: re.Match[str]) -> ClaimMatch:
    repository, ref, path, first, last = match.groups()
    lines = f"{first}-{last}" if last else first or ""
    details = [("repository", repository), ("ref", ref)]
    details += [("lines", lines)] if lines else []
    return ClaimMatch(path, *match.span(), "linked", tuple(details))


def _block_language(outline: BugReportOutline, block: OutlineBlock) -> str | None:
    """The language of a source code block; None for output, commands and data."""
    source = outline.block_text(block)
    if block.info_string in _LANGUAGE_NAMES:
        return _LANGUAGE_NAMES[block.info_string] if source.strip() else None
    if block.info_string not in _UNLABELLED_SOURCE:
        return None
    lines = sum(1 for line in source.split("\n") if line.strip())
    if lines >= 2 and _GO_EVIDENCE.search(source) and len(_GO_LINE.findall(source)) * 4 >= lines:
        return "go"
    if lines >= 2 and len(_RUST_LINE.findall(source)) * 3 >= lines and "fn " in source:
        return "rust"
    if lines >= 3 and len(_C_LINE.findall(source)) * 3 >= lines and source.count(";") * 3 >= lines:
        return "c"
    return None


def _function_names(source: str, language: str) -> list[str]:
    pattern = _FUNCTION_PATTERNS.get("c" if language == "c++" else language)
    if pattern is None:
        return []
    names = (f"({m['owner']}).{m['name']}" if m["owner"] else m["name"] for m in pattern.finditer(source))
    return list(dict.fromkeys(names))[:_MAX_FUNCTIONS]


FINDERS = (ClaimFinder("step", _find_steps), ClaimFinder("source", _find_source_code))
