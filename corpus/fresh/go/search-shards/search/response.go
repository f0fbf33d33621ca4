package search

import "sort"

// Hit is one document that fits.
type Hit struct {
	ID    string
	Score float64
}

// Response is what a client gets.
type Response struct {
	Hits     []Hit
	Failures []string
	Took     int64
}

func (r *Response) addHit(h Hit) {
	r.Hits = append(r.Hits, h) //race:Response.Hits
}

func (r *Response) addFailure(shard string, err error) {
	r.Failures = append(r.Failures, shard+": "+err.Error()) //race:Response.Failures
}

func (r *Response) sortHits() {
	sort.Slice(r.Hits, func(i, j int) bool { return r.Hits[i].Score > r.Hits[j].Score })
}
