package spool

import "testing"

func TestDeliver(t *testing.T) {
	s := &Spool{}
	s.Deliver("m1")
}
