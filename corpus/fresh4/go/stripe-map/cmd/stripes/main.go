package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/stripemap/stripe"
)

func fill(m *stripe.Map[int], keys ...string) {
	for i, key := range keys {
		time.Sleep(4 * time.Millisecond)
		m.Store(key, i)
	}
	time.Sleep(25 * time.Millisecond)
}

func main() {
	m := stripe.NewMap[int](16)
	go fill(m, "ale", "bun", "cod")
	time.Sleep(9 * time.Millisecond)
	m.Evict("ale")
	time.Sleep(10 * time.Millisecond)
	fmt.Println("evicted")
}
