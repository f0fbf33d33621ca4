package lift

import (
	"testing"
	"time"
)

type cabin struct {
	door *Door
}

func (c *cabin) pressed(button string) {
	switch button {
	case "<>":
		c.door.Hold()
	case "G", "1", "2":
		c.door.Open()
	}
}

func TestSomebodyRuns(t *testing.T) {
	c := &cabin{NewDoor(Motor{4 * time.Millisecond}, 3*time.Millisecond)}
	c.pressed("1")
	time.Sleep(5 * time.Millisecond)
	c.pressed("<>")
	time.Sleep(15 * time.Millisecond)
}
