// Package billing sends invoices to customers.
package billing

import (
	"sync"
	"time"
)

// Invoice is what a customer owes.
type Invoice struct {
	Number int
	Cents  int64
}

// Mailer delivers.
type Mailer interface {
	Deliver(number int, cents int64) error
}

// MailerFunc is a function as a mailer.
type MailerFunc func(number int, cents int64) error

// Deliver calls the function.
func (f MailerFunc) Deliver(number int, cents int64) error {
	return f(number, cents)
}

// Dispatcher sends many invoices at once.
type Dispatcher struct {
	mailer Mailer
	pace   time.Duration
	open   sync.WaitGroup
}

// New returns a dispatcher with a mailer.
func New(m Mailer, pace time.Duration) *Dispatcher {
	return &Dispatcher{mailer: m, pace: pace}
}

func (d *Dispatcher) background(task func() error) {
	d.open.Add(1)
	go func() {
		defer d.open.Done()
		if task() != nil {
			time.Sleep(d.pace) // once more
			_ = task()
		}
	}()
}

// Dispatch sends all invoices.
func (d *Dispatcher) Dispatch(invoices []Invoice) {
	for _, invoice := range invoices { //race:Dispatch.invoice
		d.background(func() error {
			time.Sleep(d.pace / 2)
			copied := invoice //race:Dispatch.invoice
			return d.mailer.Deliver(copied.Number, copied.Cents)
		})
		time.Sleep(d.pace)
	}
	d.open.Wait()
}
