// Package promo picks discounts.
package promo

import "sort"

// Rule takes percent off baskets of at least Min cents.
type Rule struct {
	Code    string
	Min     int
	Percent int
}

// Best returns the rule that saves most; it may reorder the rules.
func Best(rules []Rule, basket int) (Rule, bool) {
	if len(rules) == 0 {
		return Rule{}, false
	}
	sort.Slice(rules, func(i, j int) bool { //race:standard[]
		return rules[i].Percent > rules[j].Percent //race:standard[]
	})
	for _, r := range rules { //race:standard[]
		if basket >= r.Min {
			return r, true
		}
	}
	return Rule{}, false
}
