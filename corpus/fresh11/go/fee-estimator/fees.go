package main

// Estimator keeps the range of fees of the last blocks.
type Estimator struct {
	low, high int
	blocks    int
}

// Block takes the fees of a new block into account.
func (e *Estimator) Block(fees []int) {
	lo, hi := fees[0], fees[0]
	for _, f := range fees {
		lo, hi = min(lo, f), max(hi, f)
	}
	e.low = (e.low*3 + lo) / 4   //race:Estimator.low
	e.high = (e.high*3 + hi) / 4 //race:Estimator.high
}

// Quote is a fee for an urgency from 0 to 100.
func (e *Estimator) Quote(urgency int) int {
	floor := e.low         //race:Estimator.low
	span := e.high - floor //race:Estimator.high
	return floor + span*urgency/100
}
