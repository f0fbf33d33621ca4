package challenge

import (
	"sync"
	"testing"
	"time"
)

func TestIssueForManyClients(t *testing.T) {
	issuer := NewIssuer(41, time.Minute)
	var clients sync.WaitGroup
	clients.Add(3)
	login := func() {
		defer clients.Done()
		for i := 0; i < 30; i++ {
			if n := issuer.Issue(); len(n) != 24 {
				t.Errorf("odd nonce %q", n)
			}
		}
	}
	go login()
	go login()
	go login()
	clients.Wait()
}

func TestAnswerOnce(t *testing.T) {
	issuer := NewIssuer(42, time.Minute)
	n := issuer.Issue()
	if !issuer.Answer(n) || issuer.Answer(n) {
		t.Error("a challenge is answered once")
	}
}
