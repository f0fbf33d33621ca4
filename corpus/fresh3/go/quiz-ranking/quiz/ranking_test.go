package quiz

import (
	"testing"
	"time"
)

func TestTwoScreens(t *testing.T) {
	ranking := &Ranking{teams: []Team{{"owls", 3}, {"foxes", 8}}}
	hall := &Screen{ranking, 8 * time.Millisecond, make(chan string, 4)}
	bar := &Screen{ranking, 4 * time.Millisecond, make(chan string, 4)}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		hall.Show(1)
	}()
	time.Sleep(3 * time.Millisecond)
	bar.Show(1)
	<-gone
	if line := <-bar.Lines; line != "first: foxes" {
		t.Fatal(line)
	}
}
