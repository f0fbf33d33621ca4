// Package spool prints documents and charges for them.
package spool

import (
	"errors"
	"time"
)

// ErrEmpty is the answer of an account without money.
var ErrEmpty = errors.New("spool: the account is empty")

// Document is what is printed.
type Document struct {
	Title string
	Owner string
	Pages []string
}

// Purse charges owners.
type Purse interface {
	Charge(owner string, pages int) error
}

// Spooler prints on one printer.
type Spooler struct {
	Purse Purse
	Speed time.Duration
}

// Submit prints a document; the money is looked after meanwhile.
func (s *Spooler) Submit(doc Document) (Receipt, error) {
	job := &run{doc: doc, ended: make(chan struct{})}
	go job.feed(s.Speed)
	if err := s.Purse.Charge(doc.Owner, len(doc.Pages)); err != nil {
		return job.receipt(), err
	}
	<-job.ended
	return job.receipt(), nil
}
