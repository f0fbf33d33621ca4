package term

import (
	"time"

	"example.com/tui/screen/screen"
)

// Listener is told about new sizes.
type Listener interface {
	Resize(screen.Size)
}

// Watch reports sizes as SIGWINCH would.
func Watch(l Listener, sizes []screen.Size, every time.Duration) {
	for _, s := range sizes {
		time.Sleep(every)
		l.Resize(s)
	}
}
