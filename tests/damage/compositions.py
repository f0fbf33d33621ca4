"""Combinations of damage."""

from __future__ import annotations

from tests.damage.registry import Damage, compose, damage_named

# In the order of application: the first is nearest to the detector.
COMPOSITIONS = (
    ("go-test-json", "github-actions"),
    ("cri", "kubectl"),
    ("ansi-words", "docker-compose-colour"),
    ("github-actions", "markdown-quote"),
    ("jenkins", "doubled-blank-lines", "crlf"),
    ("logger-lines", "go-test-json"),
    ("logger-lines", "cri-partial"),
    ("docker-compose", "github-actions"),
    ("json-logger", "docker-json-file"),
    ("word-wrap-72", "mail-quote"),
    ("mail-quote", "quoted-printable"),
    ("crlf", "utf-16-le-bom"),
    ("github-actions", "html-pre"),
    ("github-actions", "grep-context"),
    ("swallowed-asterisks", "no-indentation", "markdown-quote"),
    ("syslog", "ansi-lines"),
    ("kubectl-two-pods", "github-actions"),
    ("no-bars-no-banner", "foreman"),
    ("cut-off-at-line", "go-test-json"),
    ("ansi-lines", "docker-json-file"),
    ("ansi-lines", "go-test-json"),
    ("ansi-lines", "logfmt"),
    ("ansi-lines", "json-one-string"),
    ("html-pre", "go-test-json"),
    ("docker-json-file", "kubectl-two-pods"),
    ("json-logger", "docker-compose-two-services"),
)

COMPOSED: tuple[Damage, ...] = tuple(compose(*map(damage_named, names)) for names in COMPOSITIONS)

# Plausible pairs: the writer of the lines, and what transports them.
OUTER_BY_INNER = {
    "gitlab": "asciinema docker-json-file crlf",
    "cri-partial-two-streams": "docker-json-file cri kubectl-two-pods crlf",
    "docker-json-file": "gh-run-view github-actions two-tagged-writers markdown-escapes cri",
    "go-test-json": "gh-run-view jenkins two-tagged-writers markdown-escapes html-pre syslog",
    "two-numbered-writers": "docker-json-file go-test-json cri logfmt",
    "two-tagged-writers": "json-one-string circleci-output workflow-command newlines-written-out",
    "kubectl-two-pods": "list-of-lines crlf grep-all-lines",
    "docker-compose": "grep-context mail-quote html-pre list-of-lines",
    "jenkins": "list-of-lines junit-entities indented-4 cells-behind-the-text hits-newest-first",
    "syslog": "docker-json-file github-actions html-numbered-rows",
    "syslog-one-message": "indented-4 commit-body json-logger",
    "ansi-lines": "markdown-quote syslog",
    "html-pre": "mail-quote docker-json-file",
    "logger-lines": "docker-json-file kubectl-two-pods mail-quote",
    "json-logger": "cells-behind-the-text cells-newest-first streams-newest-first hashes-in-lists",
    "kubectl": "fields-in-a-list cells-newest-first numbers-and-times-in-spans month-and-time",
    "stern": "numbers-on-lines-of-their-own hits-over-lines records-in-cells",
}
PAIRS: tuple[Damage, ...] = tuple(
    compose(damage_named(inner), damage_named(outer))
    for inner, outers in OUTER_BY_INNER.items()
    for outer in outers.split()
)
