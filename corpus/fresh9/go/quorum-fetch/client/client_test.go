package client

import "testing"

type mapReplica map[string]string

func (m mapReplica) Ping() error { return nil }

func (m mapReplica) Read(key string) (string, error) { return m[key], nil }

func TestGetReturnsMajority(t *testing.T) {
	fresh := mapReplica{"zone": "eu"}
	c := New(fresh, mapReplica{"zone": "us"}, fresh)
	got, err := c.Get("zone")
	if err != nil || got != "eu" {
		t.Fatal(got, err)
	}
}

func TestGetWithoutReplicas(t *testing.T) {
	if _, err := New().Get("zone"); err != ErrQuorum {
		t.Fatal(err)
	}
}
