package main

import (
	"errors"
	"strings"
)

type plan struct {
	verb string
	cost int
}

type planner struct {
	max   int
	plans map[string]*plan
}

func newPlanner(max int) *planner {
	return &planner{max: max, plans: make(map[string]*plan, max)}
}

func parse(sql string) (*plan, error) {
	words := strings.Fields(sql)
	if len(words) < 2 {
		return nil, errors.New("syntax error")
	}
	p := &plan{verb: strings.ToUpper(words[0]), cost: len(words)} //race:plan.cost
	if p.verb == "SELECT" {
		p.cost *= 2 //race:plan.cost
	}
	return p, nil
}

// prepare returns the cached plan of a statement, or makes one.
func (pl *planner) prepare(sql string) (*plan, error) {
	key := strings.TrimSpace(sql)
	if p, ok := pl.plans[key]; ok { //race:planner.plans[]
		return p, nil
	}
	p, err := parse(key)
	if err != nil {
		return nil, err
	}
	if len(pl.plans) < pl.max { //race:planner.plans[]
		pl.plans[key] = p //race:planner.plans[]
	}
	return p, nil
}

func (pl *planner) size() int { return len(pl.plans) }
