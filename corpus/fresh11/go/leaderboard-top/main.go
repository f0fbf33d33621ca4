// Command scores keeps the board of an arcade.
package main

import (
	"fmt"
	"sync"
	"time"
)

type score struct {
	who    string
	points int
}

type board struct {
	sync.RWMutex
	all  map[string]int
	best score
}

func (b *board) submit(s score) {
	b.Lock()
	defer b.Unlock()
	if s.points > b.all[s.who] {
		b.all[s.who] = s.points
	}
	if s.points > b.best.points {
		b.best = s //race:board.best
	}
}

func (b *board) rank(points int) int {
	b.RLock()
	defer b.RUnlock()
	rank := 1
	for _, p := range b.all {
		if p > points {
			rank++
		}
	}
	return rank
}

func (b *board) banner() string {
	return fmt.Sprintf("%s leads with %d", b.best.who, b.best.points) //race:board.best
}

func main() {
	b := &board{all: map[string]int{}}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for round := 1; round < 8; round++ {
			b.submit(score{"ada", 90 * round})
			b.submit(score{"grace", 100 * round})
			time.Sleep(300 * time.Microsecond)
		}
	}()
	for i := 0; i < 4; i++ {
		_ = b.banner()
		time.Sleep(600 * time.Microsecond)
	}
	<-over
	fmt.Println(b.rank(650), b.banner())
}
