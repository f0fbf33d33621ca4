package archive

import "sync"

// Executor runs one statement with a few workers.
type Executor struct {
	reels   []Reel
	want    string
	tracker *Tracker
	width   int
	frames  []Frame
	running sync.WaitGroup
}

func (e *Executor) start() {
	for id := 0; id < e.width; id++ {
		e.running.Add(1)
		go e.worker(id)
	}
}

func (e *Executor) worker(id int) {
	defer e.running.Done()
	for at := id; ; at += e.width {
		reel, ok := e.reel(at)
		if !ok {
			return
		}
		if frame, ok := reel.scan(e.want); ok {
			e.tracker.Consume(frame.Size)
			e.keep(frame)
		}
	}
}

func (e *Executor) reel(at int) (Reel, bool) {
	reels := e.reels //race:Executor.reels
	if at >= len(reels) {
		return Reel{}, false
	}
	return reels[at], true
}

func (e *Executor) keep(f Frame) {
	e.frames = append(e.frames, f) //race:Executor.frames
}

// Close ends the search.
func (e *Executor) Close() {
	e.reels = nil //race:Executor.reels
}

// Wait returns how many frames were found.
func (e *Executor) Wait() int {
	e.running.Wait()
	return len(e.frames)
}
