package registry

import "fmt"

// Command is what the palette can run.
type Command struct {
	ID    string
	Title string
	Run   func() error
}

var commands = map[string]Command{}

// Register makes a command known.
func Register(c Command) error {
	if _, dup := commands[c.ID]; dup { //race:commands[]
		return fmt.Errorf("command %s is registered already", c.ID)
	}
	commands[c.ID] = c //race:commands[]
	return nil
}

// Lookup finds a command.
func Lookup(id string) (Command, bool) {
	c, ok := commands[id]
	return c, ok
}
