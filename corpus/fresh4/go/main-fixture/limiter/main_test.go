package limiter

import (
	"os"
	"testing"
	"time"
)

var server *Server

func TestMain(m *testing.M) {
	server = Launch()
	code := m.Run()
	server.Shut()
	os.Exit(code)
}

func pause(n int) { time.Sleep(time.Duration(n) * time.Millisecond) }

func TestHard(t *testing.T) {
	t.Parallel()
	pause(3)
	server.SetMode("hard")
	server.SetLimit("hard", 1)
	pause(25)
}

func TestSoft(t *testing.T) {
	t.Parallel()
	pause(12)
	server.SetMode("soft")
	if !server.Allow("soft", 5) {
		t.Error("refused")
	}
	pause(25)
}
