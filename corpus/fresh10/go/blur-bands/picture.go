package main

import "sync"

// picture is in shades of grey.
type picture struct {
	width, height int
	pix           []float32
}

func newPicture(w, h int) *picture {
	return &picture{w, h, make([]float32, w*h)}
}

func (p *picture) row(y int) []float32 {
	y = max(0, min(y, p.height-1))
	return p.pix[y*p.width : (y+1)*p.width]
}

// blur mixes every row with those above and below it.
func (p *picture) blur(bands int) {
	var wg sync.WaitGroup
	each := (p.height + bands - 1) / bands
	for from := 0; from < p.height; from += each {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for y := from; y < min(from+each, p.height); y++ {
				mix(p.row(y), p.row(y-1), p.row(y+1))
			}
		}()
	}
	wg.Wait()
}

func mix(row, above, below []float32) {
	for x := range row {
		around := above[x] + below[x] //race:picture.pix[]
		row[x] = row[x]/2 + around/4  //race:picture.pix[]
	}
}
