package smtp

type buffer struct {
	data [128]byte
	n    int
}

// freeList is a pool of buffers that keeps them warm.
type freeList chan *buffer

func (f freeList) take() *buffer {
	select {
	case b := <-f:
		return b
	default:
		return new(buffer)
	}
}

func (f freeList) give(b *buffer) {
	select {
	case f <- b:
	default:
	}
}
