package main

import (
	"fmt"
	"sync"
)

type peer struct {
	kind string
	sent []string
}

func (p *peer) send(msgs ...string) error {
	for _, m := range msgs {
		text, err := encode(p.kind, []byte(m))
		if err != nil {
			return err
		}
		p.sent = append(p.sent, text)
	}
	return nil
}

func main() {
	peers := []*peer{{kind: "hex"}, {kind: "base64"}, {kind: "quoted"}}
	var wg sync.WaitGroup
	for _, p := range peers {
		wg.Add(1)
		go func(p *peer) {
			defer wg.Done()
			if err := p.send("hello", "world"); err != nil {
				fmt.Println(err)
			}
		}(p)
	}
	wg.Wait()
	fmt.Println("sent", len(peers[0].sent)*len(peers))
}
