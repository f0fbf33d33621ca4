package meter

// Daily is a bucket that is emptied once a day.
type Daily struct {
	Meter
	Limit int64
}

// Spend takes units out of the day's budget.
func (d *Daily) Spend(n int64) bool {
	return d.Take(n, d.Limit)
}
