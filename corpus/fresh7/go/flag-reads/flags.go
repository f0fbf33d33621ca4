package main

import "sync"

type rule struct {
	percent int
	users   map[string]bool
}

// FlagSet evaluates feature flags.
type FlagSet struct {
	sync.RWMutex
	rules    map[string]rule
	evals    int64
	lastUser string
}

func NewFlagSet() *FlagSet { return &FlagSet{rules: map[string]rule{}} }

func (f *FlagSet) Set(name string, r rule) {
	f.Lock()
	f.rules[name] = r
	f.Unlock()
}

func (f *FlagSet) note(user string) {
	f.evals++         //race:FlagSet.evals
	f.lastUser = user //race:FlagSet.lastUser
}

func bucketOf(user string) int {
	n := 0
	for _, c := range user {
		n = (n*31 + int(c)) % 100
	}
	return n
}

// Enabled says whether a flag is on for a user.
func (f *FlagSet) Enabled(name, user string) bool {
	f.RLock()
	defer f.RUnlock()
	f.note(user)
	r, ok := f.rules[name]
	if !ok {
		return false
	}
	return r.users[user] || bucketOf(user) < r.percent
}
