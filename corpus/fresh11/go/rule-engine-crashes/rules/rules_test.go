package rules

import "testing"

func firstItem(p Payment) int { return len(p.Items[0]) }
func lastItem(p Payment) int  { return len(p.Items[len(p.Items)-1]) }
func amount(p Payment) int    { return p.Cents / 1000 }

func TestScoreWithoutItems(t *testing.T) {
	e := NewEngine(firstItem, lastItem, amount)
	if got := e.Score(Payment{Cents: 42000, Country: "NO"}); got != 42 {
		t.Errorf("score %d", got)
	}
	if e.Crashes() == 0 {
		t.Error("no crash counted")
	}
}
