package main

import "sync"

type backfill struct {
	source func(day int) int
	days   sync.WaitGroup
	rows   sync.Map
}

func (b *backfill) start(days ...int) {
	for _, day := range days {
		day := day
		go func() {
			b.days.Add(1) //race:backfill.days
			defer b.days.Done()
			b.rows.Store(day, b.source(day))
		}()
	}
}

func (b *backfill) wait() {
	b.days.Wait() //race:backfill.days
}
