package freight

// Calculator prices shipments; one per request.
type Calculator struct {
	rates map[string]float64
	memo  map[string]float64
}

// NewCalculator makes a calculator for a request.
func NewCalculator(rates map[string]float64) *Calculator {
	return &Calculator{rates: rates, memo: make(map[string]float64)}
}

// Price is the price of a weight in kilograms to a zone.
func (c *Calculator) Price(zone string, kg float64) float64 {
	base, ok := c.memo[zone] //race:Calculator.memo[]
	if !ok {
		base = c.rates[zone] * 1.19
		c.memo[zone] = base //race:Calculator.memo[]
	}
	return base * kg
}
