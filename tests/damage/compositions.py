"""Damage upon damage."""

from __future__ import annotations

from tests.damage.registry import Damage, compose, named

# In the order in which it happens to the text: the first is nearest to the detector.
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

COMPOSED: tuple[Damage, ...] = tuple(compose(*map(named, names)) for names in COMPOSITIONS)
