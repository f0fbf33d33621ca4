// Command inodes links and unlinks files of a small file system.
package main

import (
	"fmt"
	"sync"
)

type inode struct {
	number int
	nlink  int
}

type fs struct {
	stripes [8]sync.Mutex
	inodes  map[int]*inode
}

func (f *fs) stripe(number int) *sync.Mutex {
	return &f.stripes[number%len(f.stripes)]
}

func (f *fs) link(dir, file int) {
	mu := f.stripe(dir)
	mu.Lock()
	defer mu.Unlock()
	f.inodes[file].nlink++ //race:inode.nlink
}

func (f *fs) unlink(file int) bool {
	mu := f.stripe(file)
	mu.Lock()
	defer mu.Unlock()
	node := f.inodes[file]
	node.nlink--           //race:inode.nlink
	return node.nlink == 0 //race:inode.nlink
}

func main() {
	f := &fs{inodes: map[int]*inode{}}
	for n := 0; n < 20; n++ {
		f.inodes[n] = &inode{number: n, nlink: 1}
	}
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		for n := 4; n < 20; n++ {
			f.link(2, n)
		}
	}()
	go func() {
		defer wg.Done()
		for n := 19; n >= 4; n-- {
			f.unlink(n)
		}
	}()
	wg.Wait()
	fmt.Println(f.inodes[5].nlink)
}
