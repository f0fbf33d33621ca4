package fetch

import (
	"sync"
	"time"
)

type scratch struct {
	used  int64
	files int
}

func (s *scratch) take(n int64) {
	s.used += n
	s.files++
}

func (s *scratch) release(n int64) {
	time.Sleep(time.Millisecond)
	s.used -= n //race:scratch.used
}

// Job downloads one file in parts that follow each other.
type Job struct {
	disk scratch
	wg   sync.WaitGroup
}

// Start downloads a part in the background.
func (j *Job) Start(size int64) {
	j.disk.take(size)
	j.wg.Add(1)
	go func() {
		defer j.disk.release(size)
		defer j.wg.Done()
		time.Sleep(2 * time.Millisecond)
	}()
}

// Finish waits for the part and returns what it left on disk.
func (j *Job) Finish() int64 {
	j.wg.Wait()
	return j.disk.used //race:scratch.used
}
