package main

import "fmt"

// totals are what a page shows of a meter.
type totals struct {
	joule int64
	count int
}

func snapshot(m *meter) totals {
	var t totals
	t.joule = m.joule //race:meter.joule
	t.count = m.count //race:meter.count
	return t
}

func describe(m *meter) string {
	t := snapshot(m)
	if t.count == 0 {
		return m.id + ": idle"
	}
	return fmt.Sprintf("%s: %d J in %d readings", m.id, t.joule, t.count)
}
