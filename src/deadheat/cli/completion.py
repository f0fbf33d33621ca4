"""`deadheat completion`: prints a shell completion script."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from deadheat import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXAMPLES = """examples:
  deadheat completion bash > ~/.local/share/bash-completion/completions/deadheat
  deadheat completion zsh > ~/.zfunc/_deadheat      with fpath+=~/.zfunc before compinit in ~/.zshrc
  deadheat completion fish > ~/.config/fish/completions/deadheat.fish

exit status: 0, or 2 for wrong usage
"""
_BASH = """_deadheat() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local command=${COMP_WORDS[1]} words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      COMPREPLY=($(compgen -c -- "$word") $(compgen -f -- "$word")); return
    fi
  done
  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W '%(commands)s' -- "$word")); return; fi
  case $command$before in
%(choices)s
  esac
  if [[ -z $words && $word == -* ]]; then
    case $command in
%(flags)s
    esac
  fi
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$word"))
  else compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -F _deadheat deadheat
"""
_ZSH = """#compdef deadheat
autoload -U +X bashcompinit && bashcompinit
%s"""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "completion",
        help="print a completion script for a shell",
        description="Prints a script that completes deadheat's commands, options and formats.",
        epilog=_EXAMPLES,
    )
    command.add_argument("shell", choices=("bash", "fish", "zsh"), help="the shell")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    script = _fish() if args.shell == "fish" else _bash()
    sys.stdout.write(_ZSH % script if args.shell == "zsh" else script)
    return cli.NOTHING


def _commands() -> dict[str, argparse.ArgumentParser]:
    """The parser of every command."""
    return {
        name: parser
        for action in cli.parser()._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, parser in action.choices.items()
    }


def _options(parser: argparse.ArgumentParser) -> Iterator[tuple[str, list[str], str]]:
    """Yields every long option with its choices and its help."""
    for action in parser._actions:
        long = [flag for flag in action.option_strings if flag.startswith("--")]
        if long:
            yield long[0], [str(c) for c in action.choices or ()], action.help or ""


def _bash() -> str:
    commands = _commands()
    flags, choices = [], []
    for name, parser in commands.items():
        options = list(_options(parser))
        flags.append(f"      {name}) words='{' '.join(flag for flag, _, _ in options)}' ;;")
        choices += [f"    {name}{f}) words='{' '.join(v)}' ;;" for f, v, _ in options if v]
    choices.append("    completioncompletion) words='bash fish zsh' ;;")
    return _BASH % {
        "commands": " ".join(commands),
        "choices": "\n".join(choices),
        "flags": "\n".join(flags),
    }


def _fish() -> str:
    commands = _commands()
    lines = [f"complete -c deadheat -n __fish_use_subcommand -xa '{' '.join(commands)}'"]
    for name, parser in commands.items():
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for flag, values, told in _options(parser):
            only = f" -xa '{' '.join(values)}'" if values else ""
            quoted = told.replace("\\", "\\\\").replace("'", "\\'").replace("%%", "%")
            lines.append(f"complete -c deadheat {seen} -l {flag[2:]}{only} -d '{quoted}'")
    lines.append(
        "complete -c deadheat -n '__fish_seen_subcommand_from completion' -xa 'bash fish zsh'"
    )
    return "\n".join(lines) + "\n"
