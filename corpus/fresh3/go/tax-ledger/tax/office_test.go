package tax

import (
	"testing"
	"time"
)

type employer struct {
	office *Office
	slips  []Payslip
	done   chan error
}

func (e *employer) report() {
	var last error
	for _, slip := range e.slips {
		if err := e.office.Post(slip); err != nil {
			last = err
		}
		time.Sleep(4 * time.Millisecond)
	}
	e.done <- last
}

func TestStatementDuringTheYear(t *testing.T) {
	office := Open(20, "ines", "omar")
	e := &employer{office, []Payslip{{"ines", 300000, 50000}, {"omar", 100, 0}, {"omar", 100, 0}}, make(chan error, 1)}
	go e.report()
	time.Sleep(6 * time.Millisecond)
	if got := office.Statement("ines"); got == "" {
		t.Fatal("no statement")
	}
	if err := <-e.done; err != nil {
		t.Fatal(err)
	}
}
