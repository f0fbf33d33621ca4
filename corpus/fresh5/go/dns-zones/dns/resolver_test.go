package dns

import (
	"sync"
	"testing"
	"time"
)

func TestResolveAtOnce(t *testing.T) {
	r := &Resolver{Ask: func(zone string) []string {
		time.Sleep(time.Millisecond)
		return []string{"ns1." + zone}
	}}
	var wg sync.WaitGroup
	for _, name := range []string{"www.a.example", "mail.b.example", "api.c.example"} {
		wg.Add(1)
		go func(name string) {
			defer wg.Done()
			for i := 0; i < 3; i++ {
				if len(r.Resolve(name)) == 0 {
					t.Error("no servers for", name)
				}
				time.Sleep(time.Millisecond)
			}
		}(name)
	}
	wg.Wait()
}
