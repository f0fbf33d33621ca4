package resolve

import (
	"testing"
	"time"
)

func TestLookupAtOnce(t *testing.T) {
	disk := &Disk{3 * time.Millisecond, map[string]string{"localhost": "::1"}, []string{"9.9.9.9"}}
	r := New(disk)
	r.Ask = func(server, host string) (string, error) { return server, nil }
	hosts := []string{"example.org", "example.net"}
	answers := make(chan error, len(hosts))
	for _, host := range hosts {
		go func(host string) {
			_, err := r.Lookup(host)
			answers <- err
		}(host)
	}
	for range hosts {
		if err := <-answers; err != nil {
			t.Fatal(err)
		}
	}
}
