package gauge

import (
	"testing"
	"time"
)

func highest(c *Cursor, pause time.Duration) int {
	most := 0
	for level, ok := c.Next(); ok; level, ok = c.Next() {
		if level.Cm > most {
			most = level.Cm
		}
		time.Sleep(pause)
	}
	return most
}

func TestStatusOfAReader(t *testing.T) {
	session := NewSession()
	cursor := session.Open(NewSeries("Rhein", 410, 432, 455, 431))
	flood := make(chan int, 1)
	go func() { flood <- highest(cursor, 4*time.Millisecond) }()
	time.Sleep(6 * time.Millisecond)
	if lines := session.Status(); len(lines) != 1 {
		t.Fatal(lines)
	}
	if most := <-flood; most != 455 {
		t.Fatalf("%d cm", most)
	}
}
