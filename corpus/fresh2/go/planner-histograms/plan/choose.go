package plan

import "errors"

// ErrNoPlan is returned when there is nothing to choose from.
var ErrNoPlan = errors.New("plan: nothing to choose from")

// Visitor sees every plan before it is weighed.
type Visitor func(Operator) Operator

// Choose returns the cheapest plan.
func Choose(plans []Operator, visit ...Visitor) (Operator, error) {
	var best Operator
	var least int64
	for _, p := range plans {
		for _, v := range visit {
			p = v(p)
		}
		if cost := weigh(p); best == nil || cost < least {
			best, least = p, cost
		}
	}
	if best == nil {
		return nil, ErrNoPlan
	}
	return best, nil
}

func weigh(p Operator) int64 {
	return p.Cost()
}
