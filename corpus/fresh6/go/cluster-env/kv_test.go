package kv

import (
	"testing"
	"time"
)

var env *Cluster

// setup brings a cluster up for the tests; that takes a while.
func setup(t *testing.T) *Cluster {
	t.Helper()
	if env == nil { //race:env
		time.Sleep(2 * time.Millisecond)
		env = NewCluster(3) //race:env
	}
	return env //race:env
}

func TestPutThenGet(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.Put("a", "1")
	time.Sleep(time.Millisecond)
	if v, err := c.Get("a"); err != nil || v != "1" {
		t.Errorf("%q, %v", v, err)
	}
}

func TestOverwrite(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.Put("b", "1")
	c.Put("b", "2")
	if v, _ := c.Get("b"); v != "2" {
		t.Errorf("got %q", v)
	}
}
