// Package stats keeps what is known about the values of columns.
package stats

// Bucket is a range of values.
type Bucket struct {
	Upper int64
	Count int64
}

// Histogram is the distribution of one column.
type Histogram struct {
	rows    int64
	buckets []Bucket
}

// Add takes a bucket with greater values than all before.
func (h *Histogram) Add(b Bucket) {
	h.buckets = append(h.buckets, b) //race:Histogram.buckets,Histogram.buckets[]
	h.rows += b.Count                //race:Histogram.rows
}

// Rows is how many rows the table has.
func (h *Histogram) Rows() int64 {
	return h.rows //race:Histogram.rows
}

// Below estimates how many rows have smaller values.
func (h *Histogram) Below(limit int64) int64 {
	var n int64
	known := h.buckets //race:Histogram.buckets
	for i := range known {
		b := known[i] //race:Histogram.buckets[]
		if b.Upper > limit {
			break
		}
		n += b.Count
	}
	return n
}
