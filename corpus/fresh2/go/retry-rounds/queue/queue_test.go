package queue

import (
	"errors"
	"testing"
	"time"
)

func job(name string, d time.Duration, failures int) Job {
	return Job{Name: name, Tries: 2, Do: func(try int) error {
		time.Sleep(d)
		if try <= failures {
			return errors.New("not yet")
		}
		return nil
	}}
}

func TestRoundAfterRound(t *testing.T) {
	q := New(time.Millisecond)
	settled := make(chan int, 4)
	wait := func() { q.Settle(func(lost int) { settled <- lost }) }
	q.Submit(job("mail", 4*time.Millisecond, 0), job("fax", 5*time.Millisecond, 1))
	go wait()
	time.Sleep(10 * time.Millisecond)
	q.Submit(job("fax again", 5*time.Millisecond, 0))
	go wait()
	time.Sleep(10 * time.Millisecond)
	q.Submit(job("sms", time.Millisecond, 0))
	time.Sleep(8 * time.Millisecond)
}
