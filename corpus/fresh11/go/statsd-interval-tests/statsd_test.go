package statsd

import (
	"bytes"
	"testing"
	"time"
)

func TestCountersAreSent(t *testing.T) {
	var sent bytes.Buffer
	c := NewClient(&sent)
	before := FlushInterval
	FlushInterval = time.Millisecond             //race:FlushInterval
	t.Cleanup(func() { FlushInterval = before }) //race:FlushInterval
	c.Count("logins", 2)
	time.Sleep(12 * time.Millisecond)
	c.Close()
	if sent.String() != "logins:2|c\n" {
		t.Errorf("sent %q", sent.String())
	}
}
