"""Finds shell commands and SQL statements, each with its session."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.claims.outline import Block, Line, Outline

SHELLS = frozenset(("sh", "bash", "shell", "zsh", "fish", "console", "shell-session", "sh-session",
                    "terminal", "powershell", "ps1", "cmd", "bat"))  # fmt: skip
DATABASES = frozenset(("sql", "mysql", "tidb", "mariadb", "postgres", "postgresql", "pgsql", "plsql",
                       "sqlite", "cockroach"))  # fmt: skip
PLAIN = frozenset(("", "text", "txt", "plain", "plaintext", "none"))

# programs that begin a command line
_PROGRAM = (
    r"(?:sudo |time |env |exec |nohup |timeout \S{1,10} |while true; do "
    r"|for \S{1,20} in [^;\n]{1,80}; do ){0,4}"
    r"(?:go|git|make|cmake|ninja|cargo|rustc|rustup|docker|docker-compose|kubectl|helm|minikube|kind|curl|wget"
    r"|cd|export|echo|cat|tee|bazel|bazelisk|gcc|g\+\+|clang|clang\+\+|valgrind|python3?|pip3?|pytest|npm|yarn"
    r"|node|java|mvn|gradle|tiup|mysql|psql|redis-cli|etcdctl|etcd|sysbench|stress|stress-ng|taskset|perf"
    r"|modprobe|insmod|mount|umount|sysctl|dmesg|ip|tc|iptables|ping|ssh|scp|tar|unzip|apt|apt-get|yum|dnf|brew"
    r"|systemctl|service|gotestsum|dlv|strace|gdb|lldb|syz-execprog|syz-repro|stressapptest|seq|xargs|find"
    r"|rm|mkdir|cp|mv|chmod|touch|dd|kill|pkill|sleep|watch|swift|xcodebuild|nc|dep|glide|just|tox|bash|sh|ab|wrk|hey)"
)
_PATH = r"(?:\./|\.\./|~/|/(?:usr|bin|opt|home|tmp)/)[\w./-]{1,200}"
_ASSIGNED = r"[A-Z_][A-Z0-9_]{1,60}=(?:\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'|[^\s;]{0,400})"
# "GOMAXPROCS=2 go test -race ./...", "./reproduce.sh", "sudo sysctl kernel.x=1"
_COMMAND = re.compile(
    rf"(?:{_ASSIGNED}[ \t]+){{0,8}}(?:{_PROGRAM}(?=[ \t]|$)|{_PATH}|{_ASSIGNED}$)"
)
# "$ go test", "user@host:~/src$ go test", "% make", "PS C:\src> go test"
_PROMPT = re.compile(
    r"[ \t]*(?:\$|%|❯|➜|(?:\([\w.-]{1,30}\) )?[\w.-]{1,32}@[\w.-]{1,64}[: ][^\s$#]{0,100}[$#]"
    r"|\[[\w.-]{1,32}@[\w.-]{1,64} [^\]\s]{1,60}\][$#]|PS [A-Z]:[^>\n]{0,100}>"
    r"|[\w~/.-]{1,60} ?\$)[ \t]+(?=\S)"
)
_ROOT = re.compile(r"[ \t]*#[ \t]+(?=\S)")
_HERE = re.compile(r"<<-?[ \t]*['\"]?(\w{1,40})['\"]?")
_INLINE = re.compile(r"(?<!`)`([^`\n]{3,400})`(?!`)")


class Command(NamedTuple):
    """A command: its text, location and session."""

    text: str
    start: int
    end: int
    session: str = ""


def shell(outline: Outline) -> Iterator[Command]:
    """Yields shell commands in code blocks and in inline code."""
    for block in outline.blocks:
        if block.kind == "code" and (block.info in SHELLS or block.info in PLAIN):
            yield from _in_code(outline, block)
        elif block.kind == "prose":
            yield from _in_prose(outline, block)


def _in_prose(outline: Outline, block: Block) -> Iterator[Command]:
    for match in _INLINE.finditer(outline.text, block.start, block.end):
        command = _COMMAND.match(match[1])
        # a single word is not a command: "`go`", "`make`"
        if command and " " in match[1].strip() and not match[1].endswith(":"):
            yield Command(match[1], *match.span(1))


def _in_code(outline: Outline, block: Block) -> Iterator[Command]:
    lines = [line for line in outline.lines(block) if not outline.is_printed(line.start)]
    prompted = any(_PROMPT.match(line.text) for line in lines)
    first = next((line.text for line in lines if line.text.strip()), "")
    if not prompted and block.info in PLAIN and not _COMMAND.match(first.strip()):
        return  # program output
    index, until = 0, ""
    while index < len(lines):
        line = lines[index]
        index += 1
        if until:
            until = "" if line.text.strip() == until else until
            continue
        at = _begins(line, prompted, block.info in SHELLS)
        if at is None:
            continue
        end = line.start + len(line.text)
        while outline.text[at:end].endswith("\\") and index < len(lines):
            end = lines[index].start + len(lines[index].text)
            index += 1
        said = outline.text[at:end].rstrip()
        if here := _HERE.search(said):
            until = here[1]
        yield Command(said.replace("\\\r\n", " ").replace("\\\n", " "), at, at + len(said))


def _begins(line: Line, prompted: bool, labelled: bool) -> int | None:
    """The offset of the command in a line, or None."""
    if prompt := _PROMPT.match(line.text):
        return line.start + prompt.end()
    if prompted:
        return None
    if (root := _ROOT.match(line.text)) and labelled and _COMMAND.match(line.text, root.end()):
        rest = line.text[root.end() :]
        return line.start + root.end() if not rest.endswith(".") else None
    indent = len(line.text) - len(line.text.lstrip())
    return line.start + indent if _COMMAND.match(line.text, indent) else None


# -- SQL --------------------------------------------------------------------------------------------

_VERB = re.compile(
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
# names of sessions: "t1", "session 2", "txn A", "conn1", "client-2", "T1", "init"
_SESSION = re.compile(
    r"(?:in |on |from )?(?:(?:session|sess|s|conn|connection|client|txn|trx|tx|transaction|t|terminal"
    r"|thread|user|window|tidb|node)[ _-]?#?(?:\d{1,3}|[a-z]|one|two|three)"
    r"|init(?:ialize|ial)?|setup|prepare)"
    r"[ \t]*[:.]?$",
    re.IGNORECASE,
)
# "mysql> ", "MySQL [test]> ", "tidb> ", "t1> ", "postgres=# ", "session 2> "
_CLIENT = re.compile(r"[ \t]*(?P<who>[A-Za-z][\w@.:\[\]() -]{0,50}?)(?:>|=#|=>)[ \t]+(?=\S)")
_GOES_ON = re.compile(r"[ \t]*(?:->|'>|\">|-#)[ \t]")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")


def sql(outline: Outline) -> Iterator[Command]:
    """Yields SQL statements in code blocks and in tables with a column per session."""
    for block in outline.blocks:
        lines = outline.lines(block)
        if any(_ROW.match(line.text) for line in lines):
            yield from _in_table(lines)
        if block.kind != "code" or block.printed:
            continue
        clients = [line for line in lines if _client(line)]
        if clients:
            yield from _in_client(outline, lines)
        elif block.info in DATABASES or (block.info in PLAIN and _is_sql(outline.said(block))):
            yield from _in_script(outline, block)


def _is_sql(text: str) -> bool:
    """Whether unlabelled code begins with a complete SQL statement."""
    for match in _SQL_TOKEN.finditer(text):
        if match["end"]:
            first = _SQL_TOKEN.sub(lambda m: m["text"] or "", text[: match.end()]).strip()
            return _VERB.match(first) is not None
    return False


def _in_script(outline: Outline, block: Block) -> Iterator[Command]:
    session, inline, start = "", "", block.start
    last: Command | None = None
    tokens = [*_SQL_TOKEN.finditer(outline.text, block.start, block.end), None]
    for token in tokens:
        end = block.end if token is None else token.end()
        if token is None or token["end"]:
            if last:
                yield last
            last = _statement(outline.text, start, end, inline or session)
            inline, start = "", end
        elif token["block"] and (name := _session(token["block"][2:-2])):
            inline = inline or name
        elif token["line"] and (name := _session(token["line"].lstrip("-# \t"))):
            if last and "\n" not in outline.text[last.end : token.start()]:
                last = last._replace(session=name)  # "begin; -- t1"
            else:
                session = name
    if last:
        yield last


def _statement(text: str, start: int, end: int, session: str) -> Command | None:
    """A statement without the comments around it, or None."""
    said = text[start:end]
    bare = said
    at = start + len(said) - len(said.lstrip())
    while (token := _SQL_TOKEN.match(bare.lstrip())) and (
        token["line"] or _is_remark(token["block"])
    ):
        bare = bare.lstrip()[token.end() :]
        if token["line"]:
            at = end - len(bare.lstrip())
    bare = bare.strip()
    if not _VERB.match(bare):
        return None
    return Command(bare.rstrip("; \t\r\n"), at, start + len(said.rstrip()), session)


def _is_remark(comment: str | None) -> bool:
    return comment is not None and not comment.startswith(("/*+", "/*!"))


def _session(comment: str) -> str:
    said = comment.strip()
    return said.rstrip(":. ") if _SESSION.match(said) else ""


def _client(line: Line) -> str | None:
    """The session on a line with a database client's prompt: "" for a client without a name."""
    match = _CLIENT.match(line.text)
    if match is None or not _VERB.match(line.text[match.end() :].lstrip("/*+ ")):
        return None
    return match["who"] if _SESSION.match(match["who"]) else ""


def _in_client(outline: Outline, lines: list[Line]) -> Iterator[Command]:
    for index, line in enumerate(lines):
        who = _client(line)
        match = _CLIENT.match(line.text)
        if who is None or match is None:
            continue
        start, end = line.start + match.end(), line.start + len(line.text)
        said = [line.text[match.end() :]]
        for more in lines[index + 1 :]:
            goes_on = _GOES_ON.match(more.text)
            if goes_on is None:
                break
            end = more.start + len(more.text)
            said.append(more.text[goes_on.end() :])
        yield Command(" ".join(said).strip().rstrip("; "), start, end, who)


def _in_table(lines: list[Line]) -> Iterator[Command]:
    """Yields statements in rows below a header that names sessions: `| session 1 | session 2 |`."""
    names: list[str] = []
    for line in lines:
        if not _ROW.match(line.text):
            names = []
            continue
        cells = line.text.split("|")[1:-1]
        if not names:
            names = [_session(cell.strip(" *_`")) for cell in cells]
            names = names if any(names) else []
            continue
        at = line.start + line.text.index("|") + 1
        for name, cell in zip(names, cells, strict=False):
            said = cell.strip(" \t`")
            if name and _VERB.match(said):
                begin = at + cell.index(said)
                yield Command(said.rstrip("; "), begin, begin + len(said), name)
            at += len(cell) + 1
