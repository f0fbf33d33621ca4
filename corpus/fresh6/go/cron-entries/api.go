package main

import (
	"fmt"
	"sort"
	"time"
)

type entryView struct {
	Name string
	In   time.Duration
}

type api struct {
	sched *scheduler
}

func (a *api) list(now int64) []entryView {
	var out []entryView
	for _, e := range a.sched.entries {
		in := time.Duration(e.next - now) //race:entry.next
		out = append(out, entryView{Name: e.name, In: in})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].In < out[j].In })
	return out
}

func (v entryView) String() string { return fmt.Sprintf("%s in %s", v.Name, v.In) }
