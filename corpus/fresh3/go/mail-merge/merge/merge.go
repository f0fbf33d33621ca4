package merge

import (
	"sync"
	"time"
)

// Merger fills in letters, a few at a time.
type Merger struct {
	Template Template
	Gap      time.Duration // between two letters
}

// Merge writes the letters.
func (m *Merger) Merge(list []Recipient) <-chan Letter {
	letters := make(chan Letter, len(list))
	var writers sync.WaitGroup
	for place, recipient := range list { //race:place,recipient
		writers.Add(1)
		go func() {
			defer writers.Done()
			text := m.Template.fill(recipient)          //race:recipient
			letters <- Letter{Place: place, Text: text} //race:place
		}()
		m.breathe()
	}
	writers.Wait()
	close(letters)
	return letters
}

func (m *Merger) breathe() {
	time.Sleep(m.Gap)
}
