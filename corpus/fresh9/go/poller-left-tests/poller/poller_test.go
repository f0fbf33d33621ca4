package poller

import (
	"testing"
	"time"
)

type fakeServer struct {
	polls int
	mails map[string]int
}

func (f *fakeServer) Poll(box string) int {
	f.polls++ //race:fakeServer.polls
	return f.mails[box]
}

func (f *fakeServer) reset() { f.polls = 0 } //race:fakeServer.polls

var server = &fakeServer{mails: map[string]int{"inbox": 3}}

func TestNext(t *testing.T) {
	p := Start(server, "inbox", time.Millisecond)
	if n := p.Next(); n != 3 {
		t.Errorf("%d mails", n)
	}
}

func TestStop(t *testing.T) {
	server.reset()
	p := Start(server, "spam", time.Millisecond)
	p.Stop()
	time.Sleep(5 * time.Millisecond)
	if server.polls > 50 { //race:fakeServer.polls
		t.Errorf("%d polls", server.polls)
	}
}
