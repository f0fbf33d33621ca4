package storage

type base struct {
	closed bool
}

func (b *base) Close() error {
	b.closed = true //race:base.closed
	return nil
}

func (b *base) Closed() bool {
	return b.closed //race:base.closed
}

// Engine is what a server needs of storage.
type Engine interface {
	Close() error
	Closed() bool
}

// Disk is an Engine.
type Disk struct {
	path string
	*base
}

// OpenDisk opens an engine on disk.
func OpenDisk(path string) Engine {
	return Disk{path, &base{}}
}
