package sink

// rowBuf is a piece of memory that is used again.
type rowBuf struct {
	rows  [8]int
	count int
}

type freeList chan *rowBuf

func (f freeList) get() *rowBuf {
	select {
	case b := <-f:
		return b
	default:
		return new(rowBuf)
	}
}

func (f freeList) put(b *rowBuf) {
	select {
	case f <- b:
	default:
	}
}
