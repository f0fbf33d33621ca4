package green

import (
	"strings"
	"testing"
	"time"
)

func TestReportInTheWind(t *testing.T) {
	house := NewHouse(4*time.Millisecond, "roof")
	calm := make(chan struct{})
	go func() {
		house.Follow(3, 9, 1, 1)
		close(calm)
	}()
	time.Sleep(10 * time.Millisecond)
	if text := house.Report(); !strings.Contains(text, "roof") {
		t.Fatal(text)
	}
	<-calm
}
