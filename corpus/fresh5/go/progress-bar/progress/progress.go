package progress

import "time"

// Update is how far one file has come.
type Update struct {
	File string
	Done int64
}

// Bar draws the state of many transfers.
type Bar struct {
	updates chan Update
	last    map[string]int64
	idle    chan struct{}
}

// Start starts to draw.
func Start(depth int) *Bar {
	b := &Bar{updates: make(chan Update, depth), last: map[string]int64{}, idle: make(chan struct{})}
	go b.draw()
	return b
}

func (b *Bar) draw() {
	defer close(b.idle)
	for u := range b.updates {
		b.last[u.File] = u.Done
	}
}

// Report tells the bar about a transfer; it never blocks it.
func (b *Bar) Report(file string, done int64) {
	defer func() {
		_ = recover() // the bar may be gone
	}()
	select {
	case b.updates <- Update{file, done}: //race:Bar.updates
	default:
	}
}

// Finish takes the bar off the screen.
func (b *Bar) Finish() {
	close(b.updates) //race:Bar.updates
	<-b.idle
}

// Copy stands for a transfer.
func Copy(b *Bar, file string, size, step int64) {
	for done := int64(0); done <= size; done += step {
		b.Report(file, done)
		time.Sleep(time.Millisecond)
	}
}
