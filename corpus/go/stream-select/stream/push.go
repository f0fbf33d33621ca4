package stream

// Push hands a value in.
func (s *Stream) Push(v int) {
	s.in <- v
}
