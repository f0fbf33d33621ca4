package survey

import "testing"

func sheet(values ...int) Sheet {
	var s Sheet
	for i, v := range values {
		s.Answers = append(s.Answers, Answer{string(rune('a' + i)), v})
	}
	return s
}

func TestScoreSkipsPartialSheets(t *testing.T) {
	partial := sheet(9, 9)
	partial.Partial = true
	sheets := []Sheet{sheet(1, 2, 3), sheet(4, 5, 6), partial, sheet(0, 0, 1), sheet(3, 3, 3)}
	total, n := Score(sheets, Weights{"a": 1, "b": 2, "c": 3})
	if n != 4 {
		t.Errorf("counted %d sheets", n)
	}
	if total == 0 {
		t.Error("nothing was added")
	}
}
