package spool

import (
	"testing"
	"time"
)

type slowPurse map[string]int

func (p slowPurse) Charge(owner string, pages int) error {
	time.Sleep(7 * time.Millisecond)
	if p[owner] < pages {
		return ErrEmpty
	}
	p[owner] -= pages
	return nil
}

func TestNoMoney(t *testing.T) {
	s := &Spooler{Purse: slowPurse{"uma": 1}, Speed: 5 * time.Millisecond}
	_, err := s.Submit(Document{"thesis", "uma", []string{"title", "preface", "one", "two"}})
	if err != ErrEmpty {
		t.Fatalf("got %v", err)
	}
	time.Sleep(20 * time.Millisecond)
}
