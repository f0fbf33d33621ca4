package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var errBadRow = errors.New("bad row")

type row struct {
	id    int
	email string
}

type importer struct {
	inFlight sync.WaitGroup
	rejected chan error
	rounds   chan int
}

func (im *importer) insert(r row) {
	defer im.inFlight.Done()
	time.Sleep(2 * time.Millisecond)
	if r.email == "" {
		im.rejected <- fmt.Errorf("row %d: %w", r.id, errBadRow)
	}
}

func (im *importer) startRound(rows []row) {
	im.inFlight.Add(len(rows)) //race:importer.inFlight
	for _, r := range rows {
		go im.insert(r)
	}
}

func (im *importer) announce(round int) {
	im.inFlight.Wait() //race:importer.inFlight
	im.rounds <- round
}

// Run imports the rows in rounds; a round is announced when all its rows are in.
func (im *importer) Run(rounds [][]row) {
	for i, rows := range rounds {
		im.startRound(rows)
		go im.announce(i)
		time.Sleep(6 * time.Millisecond)
	}
}

func main() {
	im := &importer{rejected: make(chan error, 8), rounds: make(chan int, 8)}
	im.Run([][]row{
		{{1, "a@x.test"}, {2, ""}},
		{{3, "c@x.test"}, {4, "d@x.test"}},
		{{5, "e@x.test"}},
	})
	for i := 0; i < 3; i++ {
		<-im.rounds
	}
	fmt.Println("rejected", len(im.rejected))
}
