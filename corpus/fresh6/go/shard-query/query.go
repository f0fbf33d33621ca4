package main

import (
	"sort"
	"time"
)

type partial struct {
	shard     int
	sum       int
	rows      int
	watermark int64
}

type shard struct {
	id     int
	values []int
}

func (s *shard) aggregate(p *partial, ready chan<- *partial) {
	p.shard = s.id
	for _, v := range s.values {
		p.sum += v
	}
	ready <- p
	p.rows = len(s.values)                  //race:partial.rows
	p.watermark = time.Now().UnixNano() / 2 //race:partial.watermark
}

type merger struct {
	shards []*shard
}

type answer struct {
	sum, rows int
	oldest    int64
}

// run asks all shards and puts their parts together.
func (m *merger) run() answer {
	ready := make(chan *partial)
	for _, s := range m.shards {
		go s.aggregate(&partial{}, ready)
	}
	var parts []*partial
	for range m.shards {
		parts = append(parts, <-ready)
	}
	sort.Slice(parts, func(i, j int) bool { return parts[i].shard < parts[j].shard })
	var a answer
	for _, p := range parts {
		a.sum += p.sum
		a.rows += p.rows                             //race:partial.rows
		if a.oldest == 0 || p.watermark < a.oldest { //race:partial.watermark
			a.oldest = p.watermark //race:partial.watermark
		}
	}
	return a
}
