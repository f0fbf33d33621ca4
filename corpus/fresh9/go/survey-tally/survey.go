package survey

import "sync"

// Answer to one question.
type Answer struct {
	Question string
	Value    int
}

// Sheet is what one respondent has sent.
type Sheet struct {
	Answers []Answer
	Partial bool
}

// Weights of the questions.
type Weights map[string]int

// Score adds up all sheets, each in its own goroutine.
func Score(sheets []Sheet, w Weights) (int, int) {
	var wg sync.WaitGroup
	total, counted := 0, make(chan int, len(sheets))

	for i := range sheets {
		wg.Add(1)
		go func(s *Sheet) {
			defer wg.Done()
			if s.Partial {
				return
			}
			for _, a := range s.Answers {
				total += a.Value * w[a.Question] //race:total
			}
			counted <- 1
		}(&sheets[i])
	}
	wg.Wait()
	return total, len(counted)
}
