// Package notify renders groups of alerts for receivers.
package notify

import (
	"sort"
	"strings"
	"sync"
)

// Group is a set of alerts that fire together.
type Group struct {
	Labels   map[string]string
	Receiver []string
}

func (g Group) base() []string {
	out := make([]string, 0, 8)
	for k, v := range g.Labels {
		out = append(out, k+"="+v)
	}
	sort.Strings(out)
	return out
}

func title(labels []string, receiver string) string {
	all := append(labels, "receiver="+receiver) //race:base[]
	return strings.Join(all, ",")               //race:base[]
}

// Titles renders the group once per receiver.
func (g Group) Titles() []string {
	base := g.base()
	out := make([]string, len(g.Receiver))
	var wg sync.WaitGroup
	wg.Add(len(g.Receiver))
	for i, name := range g.Receiver {
		go func() {
			defer wg.Done()
			out[i] = title(base, name)
		}()
	}
	wg.Wait()
	return out
}
