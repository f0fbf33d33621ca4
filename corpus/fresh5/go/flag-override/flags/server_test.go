package flags

import (
	"testing"
	"time"
)

func withFlag(t *testing.T, on bool) {
	t.Helper()
	before := newCheckout //race:newCheckout
	newCheckout = on      //race:newCheckout
	t.Cleanup(func() {
		newCheckout = before //race:newCheckout
	})
}

func TestCheckoutFlag(t *testing.T) {
	s := Serve()
	defer s.Stop()
	time.Sleep(4 * time.Millisecond)
	withFlag(t, true)
	time.Sleep(6 * time.Millisecond)
}
