package arrivals

import (
	"math/rand"
	"sync"
	"time"
)

// Generator makes pauses between requests.
type Generator struct {
	rng  *rand.Rand
	mean time.Duration
}

// NewGenerator makes a generator that repeats itself for a seed.
func NewGenerator(seed int64, mean time.Duration) *Generator {
	return &Generator{rand.New(rand.NewSource(seed)), mean}
}

// Next pause.
func (g *Generator) Next() time.Duration {
	return time.Duration(g.rng.ExpFloat64() * float64(g.mean)) //race:Generator.rng
}

// Simulate lets users make requests and returns how many they made.
func Simulate(g *Generator, users, requests int, call func(user int)) int {
	var wg sync.WaitGroup
	made := make(chan int, users)
	for u := 0; u < users; u++ {
		wg.Add(1)
		go func(u int) {
			defer wg.Done()
			for i := 0; i < requests; i++ {
				time.Sleep(g.Next())
				call(u)
			}
			made <- requests
		}(u)
	}
	wg.Wait()
	close(made)
	sum := 0
	for n := range made {
		sum += n
	}
	return sum
}
