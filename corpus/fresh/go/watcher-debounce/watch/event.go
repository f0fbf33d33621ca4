package watch

import (
	"path/filepath"
	"strings"
)

// Op is what happened to a file.
type Op uint8

// The operations that a watcher passes on.
const (
	Create Op = 1 << iota
	Write
	Remove
)

// Event is one change of one file.
type Event struct {
	Path string
	Op   Op
}

func ignored(path string) bool {
	base := filepath.Base(path)
	return strings.HasPrefix(base, ".") || strings.HasSuffix(base, "~")
}
