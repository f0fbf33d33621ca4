package asn

import (
	"net/netip"
	"sync"
	"testing"
)

func TestLookupFromManyCollectors(t *testing.T) {
	table := NewTable()
	table.Replace([]Route{
		{netip.MustParsePrefix("192.0.2.0/24"), 64500},
		{netip.MustParsePrefix("192.0.0.0/16"), 64501},
	})
	var collectors sync.WaitGroup
	for _, text := range []string{"192.0.2.9", "192.0.2.10", "192.0.2.11"} {
		addr := netip.MustParseAddr(text)
		collectors.Add(1)
		go func() {
			defer collectors.Done()
			for i := 0; i < 50; i++ {
				if as, ok := table.Lookup(addr); !ok || as != 64500 {
					t.Errorf("%s is of %d", addr, as)
				}
			}
		}()
	}
	collectors.Wait()
}
