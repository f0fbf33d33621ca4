package main

import (
	"fmt"
	"time"

	"example.com/bank/ledger/ledger"
)

type teller struct {
	accounts []*ledger.Account
}

func (t *teller) work(rounds int, done chan<- error) {
	for i := 0; i < rounds; i++ {
		from := t.accounts[i%len(t.accounts)]
		to := t.accounts[(i+1)%len(t.accounts)]
		if err := ledger.Transfer(from, to, 125); err != nil {
			done <- err
			return
		}
		time.Sleep(200 * time.Microsecond)
	}
	done <- nil
}

func main() {
	t := &teller{[]*ledger.Account{
		ledger.Open("XX01", 100_00),
		ledger.Open("XX02", 250_00),
		ledger.Open("XX03", 80_00),
	}}
	done := make(chan error)
	go t.work(30, done)
	lines := 0
	for {
		select {
		case err := <-done:
			fmt.Println(lines > 0, err)
			return
		default:
			for _, a := range t.accounts {
				lines += len(a.Statement())
			}
			time.Sleep(300 * time.Microsecond)
		}
	}
}
