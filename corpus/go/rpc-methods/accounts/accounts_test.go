package accounts

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/rpcmethods/rpc"
)

func TestCalls(t *testing.T) {
	s := rpc.NewServer(&Service{})
	for _, method := range []string{"Open", "Close"} {
		go s.Handle(method, 1)
		time.Sleep(20 * time.Millisecond)
		t.Log(s.Handle(method, 2))
	}
}
