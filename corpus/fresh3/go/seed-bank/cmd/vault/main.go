package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/seedbank/seeds"
)

type gardener struct {
	vault *seeds.Vault
	sown  chan error
}

func (g gardener) spring(plants ...string) {
	var last error
	for _, plant := range plants {
		if err := g.vault.Take(plant, 40); err != nil {
			last = err
		}
		time.Sleep(4 * time.Millisecond)
	}
	g.sown <- last
}

func main() {
	vault := seeds.Fill(seeds.Drawer{Plant: "rye", Grams: 40}, seeds.Drawer{Plant: "flax", Grams: 90})
	g := gardener{vault, make(chan error, 1)}
	go g.spring("rye", "oats", "oats")
	time.Sleep(6 * time.Millisecond)
	fmt.Println(len(seeds.Inventory(vault)), "lines")
	fmt.Println(<-g.sown)
}
