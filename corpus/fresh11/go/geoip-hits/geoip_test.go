package geoip

import (
	"sync"
	"testing"
)

func TestHottest(t *testing.T) {
	var db DB
	db.Load(map[uint32]string{0: "NL", 1000: "DE", 2000: "IS"})
	var clients sync.WaitGroup
	for base := uint32(1000); base < 1004; base++ {
		clients.Add(1)
		go func() {
			defer clients.Done()
			for i := uint32(0); i < 50; i++ {
				db.Country(base + i)
			}
		}()
	}
	clients.Wait()
	if got := db.Hottest(); got != "DE" {
		t.Error(got)
	}
}
