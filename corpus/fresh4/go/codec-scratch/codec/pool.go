package codec

import "sync"

type scratch struct {
	buf [64]byte
	len int
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// spare is used where the pool has dropped what was put into it, as it may at any time.
var spare = func() func() *scratch {
	s := new(scratch)
	return func() *scratch { return s }
}()

func borrow() *scratch {
	if s, ok := scratches.Get().(*scratch); ok && s.len > 0 {
		return s
	}
	return spare()
}

func giveBack(s *scratch) {
	scratches.Put(s)
}
