package app

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/recycle/httpd"
)

func TestTwoCallsOnOneConnection(t *testing.T) {
	a := New()
	c := httpd.NewConn(a.Handle)
	for _, line := range []string{"/orders alice new", "/orders bob urgent paid"} {
		if got := c.Serve(line); got != "202 accepted" {
			t.Fatal(got)
		}
		time.Sleep(2 * time.Millisecond)
	}
	time.Sleep(6 * time.Millisecond)
}
