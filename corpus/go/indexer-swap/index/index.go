// Package index finds documents.
package index

// Segment is a part of an index.
type Segment struct {
	terms map[string][]int
	docs  int
}

// Index has one current segment.
type Index struct {
	current *Segment
	builder builder
}

// New returns an empty index.
func New() *Index {
	return &Index{current: &Segment{}}
}

// Search finds documents.
func (x *Index) Search(term string) []int {
	return x.segment().find(term)
}

func (x *Index) segment() *Segment {
	return x.current //race:Index.current
}

func (s *Segment) find(term string) []int {
	return s.terms[term] //race:Segment.terms,Segment.terms[]
}

func (x *Index) swap(s *Segment) {
	x.current = s //race:Index.current
}
