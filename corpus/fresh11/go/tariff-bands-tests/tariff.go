// Package tariff prices energy by the hour.
package tariff

import "time"

// Calculator prices consumption; one belongs to each contract.
type Calculator struct {
	Peak    int64 // per kWh, in tenths of a cent
	OffPeak int64
	From    int
	To      int
}

// Price is what a reading at a time costs.
func (c *Calculator) Price(at time.Time, kwh int64) int64 {
	if h := at.Hour(); h >= c.From && h < c.To {
		return c.Peak * kwh //race:Calculator.Peak
	}
	return c.OffPeak * kwh
}
