// Package sqlrun runs batches of statements against the store.
package sqlrun

import (
	"fmt"
	"sync"
	"time"

	"github.com/deadheat-corpus/mvccstore/kv"
)

type Statement struct {
	Table string
	Key   string
	Value string
}

type Executor struct {
	store *kv.Store
	cost  time.Duration
}

func New(s *kv.Store, cost time.Duration) *Executor {
	return &Executor{store: s, cost: cost}
}

func (e *Executor) plan(st Statement) (string, error) {
	time.Sleep(e.cost)
	if st.Table == "" {
		return "", fmt.Errorf("statement without a table: %q", st.Key)
	}
	return st.Table + "/" + st.Key, nil
}

func (e *Executor) apply(txn *kv.Txn, st Statement) error {
	key, err := e.plan(st)
	if err != nil {
		return err
	}
	if old, ok := txn.Get(key); ok && string(old) == st.Value {
		return nil
	}
	return txn.Put(key, []byte(st.Value))
}

// Run applies all statements in one transaction.
func (e *Executor) Run(batch []Statement) error {
	txn := e.store.Begin()
	errs := make([]error, len(batch))
	var wg sync.WaitGroup
	for i := range batch {
		i := i
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = e.apply(txn, batch[i])
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return txn.Commit()
}
