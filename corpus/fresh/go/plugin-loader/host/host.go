// Package host runs the commands of its plugins.
package host

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrUnknown is returned for a command that no plugin has.
var ErrUnknown = errors.New("host: unknown command")

// Command does something with its arguments.
type Command func(args []string) (string, error)

// Plugin brings commands.
type Plugin interface {
	Name() string
	Commands() map[string]Command
}

// Host knows the commands of all plugins.
type Host struct {
	commands map[string]Command
	loaded   []string
}

// New returns a host without plugins.
func New() *Host {
	return &Host{commands: map[string]Command{"help": help}}
}

func help([]string) (string, error) {
	return "ask a plugin", nil
}

// LoadAll loads plugins in the background: some take long to start.
func (h *Host) LoadAll(plugins ...Plugin) {
	go h.loadAll(plugins)
}

func (h *Host) loadAll(plugins []Plugin) {
	for _, p := range plugins {
		time.Sleep(3 * time.Millisecond)
		for name, command := range p.Commands() {
			h.register(p.Name()+":"+name, command)
		}
	}
}

func (h *Host) register(name string, command Command) {
	h.commands[name] = command //race:Host.commands
}

func (h *Host) lookup(name string) (Command, bool) {
	command, ok := h.commands[name] //race:Host.commands
	return command, ok
}

// Run runs one line.
func (h *Host) Run(line string) (string, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return "", ErrUnknown
	}
	command, ok := h.lookup(words[0])
	if !ok {
		return "", fmt.Errorf("%w: %s", ErrUnknown, words[0])
	}
	return command(words[1:])
}
