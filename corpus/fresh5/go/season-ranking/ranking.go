package main

import (
	"sort"
	"time"
)

type club struct {
	name   string
	points int
}

type ranking struct {
	table []*club
	clubs []*club
}

func newRanking(names ...string) *ranking {
	r := &ranking{}
	for _, name := range names {
		c := &club{name: name}
		r.clubs = append(r.clubs, c)
		r.table = append(r.table, c)
	}
	return r
}

func (r *ranking) played(i, points int) {
	r.clubs[i].points += points
	sort.SliceStable(r.table, func(a, b int) bool { //race:ranking.table[]
		return r.table[a].points > r.table[b].points //race:ranking.table[]
	})
}

type ticker struct {
	of    *ranking
	lines chan string
}

func (t *ticker) show(times int) {
	for i := 0; i < times; i++ {
		t.line()
		time.Sleep(time.Millisecond)
	}
}

func (t *ticker) line() {
	first := t.of.table[0] //race:ranking.table[]
	t.lines <- first.name
}
