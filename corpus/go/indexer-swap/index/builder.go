package index

import "strings"

type builder struct {
	done  int
	total int
}

// Rebuild builds a new segment and swaps it in.
func (x *Index) Rebuild(texts ...string) {
	s := x.builder.build(texts)
	x.swap(s)
}

func (b *builder) build(texts []string) *Segment {
	b.total = len(texts)                     //race:builder.total
	s := &Segment{terms: map[string][]int{}} //race:Segment.terms
	for i, text := range texts {
		b.add(s, i, text)
	}
	return s
}

func (b *builder) add(s *Segment, doc int, text string) {
	for _, term := range strings.Fields(text) {
		s.terms[term] = append(s.terms[term], doc) //race:Segment.terms[]
	}
	b.done++ //race:builder.done
}

// Progress is how far the builder is.
func (x *Index) Progress() (int, int) {
	return x.builder.progress()
}

func (b *builder) progress() (int, int) {
	n := b.total     //race:builder.total
	return b.done, n //race:builder.done
}
