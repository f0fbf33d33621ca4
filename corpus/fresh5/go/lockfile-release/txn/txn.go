package txn

import "time"

// Transaction installs packages.
type Transaction struct {
	packages  []string
	done      chan struct{}
	locked    bool
	installed int
}

// Begin starts to install.
func Begin(packages ...string) *Transaction {
	t := &Transaction{packages: packages, done: make(chan struct{}), locked: true}
	go t.run()
	return t
}

func (t *Transaction) run() {
	n := 0
	for range t.packages {
		time.Sleep(time.Millisecond)
		n++
	}
	close(t.done)
	t.finish(n)
}

func (t *Transaction) finish(n int) {
	t.installed = n  //race:Transaction.installed
	t.locked = false //race:Transaction.locked
}

// Wait waits for the end and says how many packages are installed.
func (t *Transaction) Wait() (n int, locked bool) {
	<-t.done
	n = t.installed   //race:Transaction.installed
	locked = t.locked //race:Transaction.locked
	return n, locked
}
