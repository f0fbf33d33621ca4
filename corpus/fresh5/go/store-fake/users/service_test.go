package users

import (
	"testing"
	"time"
)

type fakeStore struct {
	rows map[string]string
	puts int
}

func (f *fakeStore) Has(name string) bool {
	_, ok := f.rows[name] //race:fakeStore.rows[]
	return ok
}

func (f *fakeStore) Put(name, mail string) {
	f.rows[name] = mail //race:fakeStore.rows[]
	f.puts++            //race:fakeStore.puts
}

var store = &fakeStore{rows: map[string]string{}}

func TestRegisterNew(t *testing.T) {
	t.Parallel()
	if err := NewService(store).Register("ada", "ada@example.org"); err != nil {
		t.Error(err)
	}
	time.Sleep(4 * time.Millisecond)
}

func TestRegisterTwice(t *testing.T) {
	t.Parallel()
	svc := NewService(store)
	_ = svc.Register("bob", "bob@example.org")
	time.Sleep(2 * time.Millisecond)
	if err := svc.Register("bob", "bob@example.org"); err == nil {
		t.Error("registered twice")
	}
}
