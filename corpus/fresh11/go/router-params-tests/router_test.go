package router

import (
	"testing"
	"time"
)

func settle() { time.Sleep(2 * time.Millisecond) }

var sample = &Request{Path: "/v1/orgs/42/users/7", Params: map[string]string{}}

func TestMatchUser(t *testing.T) {
	t.Parallel()
	if !Compile("/v1/orgs/:org/users/:user").Match(sample) {
		t.Fatal("no match")
	}
	settle()
	if sample.Params["user"] != "7" { //race:sample.Params
		t.Errorf("user %q", sample.Params["user"])
	}
}

func TestMatchMember(t *testing.T) {
	t.Parallel()
	if !Compile("/v1/orgs/:tenant/users/:member").Match(sample) {
		t.Fatal("no match")
	}
	settle()
}

func TestMatchNeedsAllParts(t *testing.T) {
	t.Parallel()
	if Compile("/v1/orgs/:org").Match(sample) {
		t.Error("matched a prefix")
	}
}
