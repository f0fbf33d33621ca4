package assets

import (
	"errors"
	"io/fs"
	"sync"
)

// Bundle is what a level needs.
type Bundle struct {
	Textures map[string][]byte
	Sounds   map[string][]byte
}

// ErrEmpty says that a directory has no files.
var ErrEmpty = errors.New("no assets")

func readDir(fsys fs.FS, dir string) (map[string][]byte, error) {
	list, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, ErrEmpty
	}
	out := make(map[string][]byte, len(list))
	for _, e := range list {
		data, err := fs.ReadFile(fsys, dir+"/"+e.Name())
		if err != nil {
			return nil, err
		}
		out[e.Name()] = data
	}
	return out, nil
}

// Load reads a bundle.
func Load(fsys fs.FS) (*Bundle, error) {
	var (
		b       Bundle
		loadErr error
		wg      sync.WaitGroup
	)
	wg.Add(2)
	go func() {
		defer wg.Done()
		textures, err := readDir(fsys, "textures")
		b.Textures = textures
		if err != nil {
			loadErr = err //race:loadErr
		}
	}()
	go func() {
		defer wg.Done()
		sounds, err := readDir(fsys, "sounds")
		b.Sounds = sounds
		if err != nil {
			loadErr = err //race:loadErr
		}
	}()
	wg.Wait()
	return &b, loadErr
}
