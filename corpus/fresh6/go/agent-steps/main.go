package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

type step struct {
	name  string
	cmd   func() (int, error)
	paths []string
}

type blobStore struct {
	mu   sync.Mutex
	objs map[string]int
}

func (b *blobStore) Put(key string, size int) error {
	time.Sleep(2 * time.Millisecond)
	if key == "" {
		return errors.New("blob: empty key")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objs[key] = size
	return nil
}

type agent struct {
	id    string
	store *blobStore
}

func (a *agent) saveCache(s step, exit int) error {
	if exit != 0 {
		return nil
	}
	return a.store.Put("cache/"+s.name, 512)
}

func (a *agent) uploadArtefacts(s step) error {
	for _, p := range s.paths {
		if err := a.store.Put("artefacts/"+p, len(p)); err != nil {
			return fmt.Errorf("upload %s: %w", p, err)
		}
	}
	return nil
}

// runStep runs a step, then saves its cache beside the upload of its artefacts.
func (a *agent) runStep(s step) error {
	exit, err := s.cmd()
	if err != nil {
		return fmt.Errorf("step %s: %w", s.name, err)
	}

	saved := make(chan struct{})
	go func() {
		defer close(saved)
		if err = a.saveCache(s, exit); err != nil { //race:err
			fmt.Fprintln(os.Stderr, "cache:", err) //race:err
		}
	}()

	if err = a.uploadArtefacts(s); err != nil { //race:err
		return err //race:err
	}
	<-saved
	return nil
}

func main() {
	a := &agent{id: "agent-7", store: &blobStore{objs: map[string]int{}}}
	ok := func() (int, error) { time.Sleep(time.Millisecond); return 0, nil }
	steps := []step{
		{name: "compile", cmd: ok, paths: []string{"bin/server"}},
		{name: "test", cmd: ok, paths: []string{"report.xml"}},
	}
	for _, s := range steps {
		if err := a.runStep(s); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	fmt.Println(a.id, "finished", len(a.store.objs), "objects")
}
