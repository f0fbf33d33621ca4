package main

import (
	"bytes"
	"fmt"
	"sync"

	"example.com/blob/parts/store"
)

type span struct{ first, last int }

func split(size, parts int) []span {
	step := size / parts
	var out []span
	for i := 0; i < parts; i++ {
		s := span{first: i * step, last: (i + 1) * step}
		if i == parts-1 {
			s.last = size - 1
		}
		out = append(out, s)
	}
	return out
}

type downloader struct {
	parts int
	errs  chan error
}

func (d *downloader) fetch(o *store.Object) ([]byte, error) {
	buf := make([]byte, len(o.Data))
	spans := split(len(buf), d.parts)
	d.errs = make(chan error, len(spans))
	var wg sync.WaitGroup
	for _, s := range spans {
		wg.Add(1)
		go func(s span) {
			defer wg.Done()
			if _, err := o.ReadRange(s.first, s.last, buf[s.first:s.last+1]); err != nil {
				d.errs <- err
			}
		}(s)
	}
	wg.Wait()
	close(d.errs)
	for err := range d.errs {
		return nil, err
	}
	return buf, nil
}

func main() {
	o := &store.Object{Key: "img/42", Data: bytes.Repeat([]byte("deadbeef"), 64)}
	d := &downloader{parts: 4}
	got, err := d.fetch(o)
	fmt.Println(len(got), bytes.Equal(got, o.Data), err)
}
