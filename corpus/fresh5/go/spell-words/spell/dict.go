package spell

import (
	"sync"
	"time"
)

// Dict is a word list that is loaded when it is needed.
type Dict struct {
	path string

	loading sync.Mutex
	loaded  bool
	words   map[string]struct{}
}

// Open names the file of a dictionary.
func Open(path string) *Dict {
	return &Dict{path: path}
}

func (d *Dict) ensure() {
	if d.loaded { //race:Dict.loaded
		return
	}
	d.loading.Lock()
	defer d.loading.Unlock()
	if d.loaded {
		return
	}
	words := read(d.path)
	d.words = words //race:Dict.words
	d.loaded = true //race:Dict.loaded
}

// Has says whether a word is right.
func (d *Dict) Has(word string) bool {
	d.ensure()
	list := d.words     //race:Dict.words
	_, ok := list[word] //race:Dict.words[]
	return ok
}

func read(path string) map[string]struct{} {
	time.Sleep(2 * time.Millisecond)
	list := make(map[string]struct{})
	for _, word := range []string{"dead", "heat"} {
		list[word] = struct{}{} //race:Dict.words[]
	}
	return list
}
