package files

type handle struct {
	path   string
	closed bool
}

func (h *handle) Close() error {
	h.closed = true
	return nil
}

func (h *handle) open() bool {
	return !h.closed
}
