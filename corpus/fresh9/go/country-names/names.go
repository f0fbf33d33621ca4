package names

import (
	"strings"
	"sync"
)

const data = "de Germany\nfr France\njp Japan\nke Kenya\npe Peru"

type index map[string]string

var (
	mu    sync.Mutex
	ready bool
	byISO index
)

func ensure() {
	if ready { //race:ready
		return
	}
	mu.Lock()
	defer mu.Unlock()
	if ready {
		return
	}
	idx := index{} //race:byISO[]
	for _, line := range strings.Split(data, "\n") {
		code, name, _ := strings.Cut(line, " ")
		idx[code] = name //race:byISO[]
	}
	byISO = idx  //race:byISO
	ready = true //race:ready
}

// Name of a country by its code.
func Name(code string) (string, bool) {
	ensure()
	name, ok := byISO[strings.ToLower(code)] //race:byISO,byISO[]
	return name, ok
}
