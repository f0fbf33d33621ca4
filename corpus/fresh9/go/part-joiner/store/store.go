package store

import "errors"

var ErrRange = errors.New("range out of bounds")

// Object is a blob in memory.
type Object struct {
	Key  string
	Data []byte
}

// ReadRange copies the bytes from first to last, both included, as HTTP ranges are.
func (o *Object) ReadRange(first, last int, into []byte) (int, error) {
	if first < 0 || last >= len(o.Data) || first > last {
		return 0, ErrRange
	}
	n := 0
	for i := first; i <= last; i++ {
		into[n] = o.Data[i] //race:buf[]
		n++
	}
	return n, nil
}
