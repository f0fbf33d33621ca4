// Package graph orders rules into levels and builds them.
package graph

import (
	"context"
	"fmt"
	"time"
)

// Rule makes outputs from what it needs.
type Rule struct {
	Name    string
	Needs   []string
	Outputs []string
	Cost    time.Duration
}

func (r Rule) execute(ctx context.Context) ([]string, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(r.Cost):
		return r.Outputs, nil
	}
}

// levels puts each rule one level above the highest that it needs.
func levels(rules []Rule) ([][]Rule, error) {
	depth := map[string]int{}
	var out [][]Rule
	for _, r := range rules {
		at := 0
		for _, need := range r.Needs {
			d, ok := depth[need]
			if !ok {
				return nil, fmt.Errorf("%s needs %s, which comes later", r.Name, need)
			}
			at = max(at, d+1)
		}
		depth[r.Name] = at
		for len(out) <= at {
			out = append(out, nil)
		}
		out[at] = append(out[at], r)
	}
	return out, nil
}
