package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

type blob struct {
	name string
	size int64
}

type remote interface {
	Send(b blob) error
}

type uploader struct {
	remote remote
	slots  chan struct{}
	wg     sync.WaitGroup
	bytes  atomic.Int64
}

func newUploader(r remote, parallel int) *uploader {
	return &uploader{remote: r, slots: make(chan struct{}, parallel)}
}

func (u *uploader) upload(b blob) {
	u.wg.Add(1) //race:uploader.wg
	defer u.wg.Done()
	u.slots <- struct{}{}
	defer func() { <-u.slots }()
	if err := u.remote.Send(b); err == nil {
		u.bytes.Add(b.size)
	}
}

// UploadAll sends every blob and waits for the last.
func (u *uploader) UploadAll(blobs []blob) int64 {
	for _, b := range blobs {
		go u.upload(b)
	}
	time.Sleep(200 * time.Microsecond)
	u.wg.Wait() //race:uploader.wg
	return u.bytes.Load()
}

type slowRemote time.Duration

func (s slowRemote) Send(b blob) error {
	time.Sleep(time.Duration(s))
	return nil
}

func main() {
	u := newUploader(slowRemote(2*time.Millisecond), 2)
	n := u.UploadAll([]blob{{"a.tar", 10}, {"b.tar", 20}, {"c.tar", 30}})
	time.Sleep(8 * time.Millisecond)
	fmt.Println("uploaded:", n >= 0)
}
