package main

import (
	"fmt"
	"sync"
	"time"

	"example.com/media/variants/resize"
)

type variant struct {
	suffix string
	width  int
}

type generator struct {
	variants []variant
	wg       sync.WaitGroup
}

func (g *generator) generate(img resize.Image) []resize.Image {
	out := make([]resize.Image, len(g.variants))
	for i := range g.variants {
		go func(i int) {
			g.wg.Add(1) //race:generator.wg
			defer g.wg.Done()
			out[i] = img.To(g.variants[i].width)
		}(i)
		time.Sleep(300 * time.Microsecond)
	}
	g.wg.Wait() //race:generator.wg
	for i := range out {
		fmt.Println(g.variants[i].suffix, out[i].W)
	}
	return out
}

func main() {
	g := &generator{variants: []variant{
		{"thumb", 64}, {"small", 320}, {"medium", 800},
	}}
	g.generate(resize.Image{W: 1600, H: 900})
	time.Sleep(5 * time.Millisecond)
}
