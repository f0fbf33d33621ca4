package main

import (
	"strings"
	"sync"
)

type item struct {
	subject string
	unread  bool
}

type mailbox struct {
	address string
	items   []item
}

type builder struct {
	scratch []item
	wg      sync.WaitGroup
	out     chan string
}

func newBuilder(n int) *builder {
	return &builder{scratch: make([]item, 0, 32), out: make(chan string, n)}
}

func (b *builder) add(m mailbox) {
	b.scratch = b.scratch[:0]
	for _, it := range m.items {
		if it.unread {
			b.scratch = append(b.scratch, it) //race:builder.scratch[]
		}
	}
	b.wg.Add(1)
	go b.render(m.address, b.scratch)
}

func (b *builder) render(to string, items []item) {
	defer b.wg.Done()
	var sb strings.Builder
	sb.WriteString("To: " + to + "\n")
	for i := range items {
		sb.WriteString("* " + items[i].subject + "\n") //race:builder.scratch[]
	}
	b.out <- sb.String()
}

func (b *builder) finish() []string {
	b.wg.Wait()
	close(b.out)
	var all []string
	for s := range b.out {
		all = append(all, s)
	}
	return all
}
