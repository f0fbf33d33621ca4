package main

import (
	"fmt"
	"strings"
	"sync"
)

type rule struct {
	prefix string
	role   string
	allow  bool
}

type question struct {
	role, path string
}

// evaluator answers whether a role may see a path.
type evaluator struct {
	mu        sync.RWMutex
	rules     []rule
	decisions map[question]bool
}

func newEvaluator(rules []rule) *evaluator {
	return &evaluator{rules: rules, decisions: map[question]bool{}}
}

func (e *evaluator) replace(rules []rule) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rules = rules
	e.decisions = map[question]bool{}
}

func (e *evaluator) allowed(q question) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if known, ok := e.decisions[q]; ok { //race:evaluator.decisions[]
		return known
	}
	answer := e.decide(q)
	e.decisions[q] = answer //race:evaluator.decisions[]
	return answer
}

func (e *evaluator) decide(q question) bool {
	for _, r := range e.rules {
		if r.role == q.role && strings.HasPrefix(q.path, r.prefix) {
			return r.allow
		}
	}
	return false
}

func main() {
	e := newEvaluator([]rule{{"/admin", "root", true}, {"/", "guest", true}})
	var wg sync.WaitGroup
	for i, role := range []string{"guest", "root"} {
		wg.Add(1)
		go func(i int, role string) {
			defer wg.Done()
			e.allowed(question{role, fmt.Sprint("/admin/", i)})
		}(i, role)
	}
	wg.Wait()
	e.replace(nil)
	fmt.Println("asked")
}
