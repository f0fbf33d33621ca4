package snap

import (
	"testing"
	"time"
)

type disk struct {
	seek   time.Duration
	blocks []Block
}

func (d *disk) ReadBlock(n int) (Block, error) {
	time.Sleep(d.seek)
	return d.blocks[n%len(d.blocks)], nil
}

func TestCloseEarly(t *testing.T) {
	it := NewIterator(&disk{4 * time.Millisecond, []Block{Block("head"), Block("tail")}})
	defer time.Sleep(6 * time.Millisecond)
	time.Sleep(6 * time.Millisecond)
	it.Close()
}
