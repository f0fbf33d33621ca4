// Package verify reads from the old and the new database and compares.
package verify

import (
	"context"
	"fmt"
)

// DB is what both databases can do.
type DB interface {
	Count(ctx context.Context, table string) (int, error)
}

// Pair has the database that answers and the one that is tried out.
type Pair struct {
	Old, New DB
	Mismatch chan string
}

// Count asks both and answers with the old one.
func (p *Pair) Count(ctx context.Context, table string) (int, error) {
	n, err := p.Old.Count(ctx, table) //race:err
	if err != nil {
		return 0, err
	}
	go func() {
		var m int
		m, err = p.New.Count(ctx, table) //race:err
		if err != nil || m != n {        //race:err
			p.Mismatch <- fmt.Sprintf("%s: %d and %d (%v)", table, n, m, err) //race:err
		}
	}()
	if n > 1000 {
		_, err = p.Old.Count(ctx, table+"_archive") //race:err
	}
	return n, err //race:err
}
