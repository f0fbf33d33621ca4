package spool

import "time"

// Receipt says what a job used up.
type Receipt struct {
	Title string
	Pages int
	Ink   float64
}

type run struct {
	doc   Document
	pages int
	ink   float64
	ended chan struct{}
}

func (r *run) feed(speed time.Duration) {
	defer close(r.ended)
	for _, page := range r.doc.Pages {
		r.print(page)
		time.Sleep(speed)
	}
}

func (r *run) print(page string) {
	r.pages++                           //race:run.pages
	r.ink += float64(len(page)) * 0.002 //race:run.ink
}

func (r *run) receipt() Receipt {
	pages := r.pages //race:run.pages
	ink := r.ink     //race:run.ink
	return Receipt{Title: r.doc.Title, Pages: pages, Ink: ink}
}
