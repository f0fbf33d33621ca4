package main

import (
	"sync"
	"time"

	"github.com/deadheat-corpus/starcatalog/stars"
)

func main() {
	catalog := stars.NewCatalog()
	finds := [][]stars.Star{{{Name: "Wega", Spectrum: "A"}}, {{Name: "Deneb", Spectrum: "A"}}}
	var night sync.WaitGroup
	for i := range finds {
		night.Add(1)
		go func(found []stars.Star) {
			defer night.Done()
			stars.Telescope{Catalog: catalog, Exposure: 10 * time.Millisecond}.Observe(found...)
		}(finds[i])
		time.Sleep(3 * time.Millisecond)
	}
	night.Wait()
}
