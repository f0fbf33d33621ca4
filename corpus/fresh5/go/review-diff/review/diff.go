package review

import (
	"context"
	"strings"
	"sync"
)

// File is one changed file, before and after.
type File struct {
	Path        string
	Old, New    string
	Binary      bool
	Permissions uint32
}

// Hunk is one changed line.
type Hunk struct {
	Path string
	Line int
	Text string
}

// Differ compares files.
type Differ struct {
	MaxFiles int
}

// Compare returns the hunks of all files.
func (d Differ) Compare(ctx context.Context, files []File) ([]Hunk, error) {
	var (
		hunks []Hunk
		wg    sync.WaitGroup
	)
	for _, f := range files {
		if f.Binary {
			continue
		}
		f := f
		wg.Add(1)
		go func() {
			defer wg.Done()
			if ctx.Err() != nil {
				return
			}
			found := compareLines(f)
			hunks = append(hunks, found...) //race:Compare.hunks
		}()
	}
	wg.Wait()
	return hunks, ctx.Err()
}

func compareLines(f File) []Hunk {
	var out []Hunk
	old := strings.Split(f.Old, "\n")
	for i, line := range strings.Split(f.New, "\n") {
		if i >= len(old) || old[i] != line {
			out = append(out, Hunk{f.Path, i + 1, line})
		}
	}
	return out
}
