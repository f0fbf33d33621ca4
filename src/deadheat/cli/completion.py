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
_BASH_TEMPLATE = """_deadheat() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local command=${COMP_WORDS[1]} words= more= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      COMPREPLY=($(compgen -c -- "$word") $(compgen -f -- "$word")); return
    fi
  done
  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W '%(commands)s' -- "$word")); return; fi
  case $command$before in
%(choices)s
%(first_words)s
  esac
  if [[ -z $words && $word == -* ]]; then
    case $command in
%(flags)s
    esac
  fi
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$word"))
  else compopt -o filenames; COMPREPLY=($(compgen -W "$more" -- "$word") $(compgen -f -- "$word")); fi
}
complete -F _deadheat deadheat
"""
_ZSH_TEMPLATE = """#compdef deadheat
autoload -U +X bashcompinit && bashcompinit
%s"""


def add_completion_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "completion",
        help="print a completion script for a shell",
        description="Prints a script that completes deadheat's commands, options and formats.",
        epilog=_EXAMPLES,
    )
    command.add_argument("shell", choices=("bash", "fish", "zsh"), help="the shell")
    command.set_defaults(run=run_completion)


def run_completion(args: argparse.Namespace) -> int:
    script = _fish_script() if args.shell == "fish" else _bash_script()
    sys.stdout.write(_ZSH_TEMPLATE % script if args.shell == "zsh" else script)
    return cli.EXIT_NOTHING


def _command_parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of every command."""
    return {
        name: command_parser
        for action in cli.build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, command_parser in action.choices.items()
    }


def _long_options(command_parser: argparse.ArgumentParser) -> Iterator[tuple[str, list[str], str]]:
    """Yields every long option with its choices and its help."""
    for action in command_parser._actions:
        long_flags = [flag for flag in action.option_strings if flag.startswith("--")]
        if long_flags:
            yield long_flags[0], [str(choice) for choice in action.choices or ()], action.help or ""


def _first_words() -> dict[str, list[str]]:
    """What may follow a command besides files and options."""
    return {"gate": cli.action_words("gate"), "config": cli.command_names()}


def _bash_script() -> str:
    commands = _command_parsers()
    flags, choices = [], []
    for name, command_parser in commands.items():
        options = list(_long_options(command_parser))
        flags.append(f"      {name}) words='{' '.join(flag for flag, _, _ in options)}' ;;")
        choices += [f"    {name}{f}) words='{' '.join(v)}' ;;" for f, v, _ in options if v]
    choices.append("    completioncompletion) words='bash fish zsh' ;;")
    first_words = [f"    {name}{name}) more='{' '.join(words)}' ;;" for name, words in _first_words().items()]
    return _BASH_TEMPLATE % {
        "commands": " ".join(commands),
        "choices": "\n".join(choices),
        "first_words": "\n".join(first_words),
        "flags": "\n".join(flags),
    }


def _fish_script() -> str:
    commands = _command_parsers()
    lines = [f"complete -c deadheat -n __fish_use_subcommand -xa '{' '.join(commands)}'"]
    for name, command_parser in commands.items():
        condition = f"-n '__fish_seen_subcommand_from {name}'"
        for flag, values, help_text in _long_options(command_parser):
            value_option = f" -xa '{' '.join(values)}'" if values else ""
            quoted = help_text.replace("\\", "\\\\").replace("'", "\\'").replace("%%", "%")
            lines.append(f"complete -c deadheat {condition} -l {flag[2:]}{value_option} -d '{quoted}'")
    for name, words in _first_words().items():
        lines.append(f"complete -c deadheat -n '__fish_seen_subcommand_from {name}' -a '{' '.join(words)}'")
    lines.append("complete -c deadheat -n '__fish_seen_subcommand_from completion' -xa 'bash fish zsh'")
    return "\n".join(lines) + "\n"
