// Package orders computes what is to be paid.
package orders

// Line is a position of an order.
type Line struct {
	SKU   string
	Count int
	Cents int
}

// Order belongs to one request.
type Order struct {
	Lines    []Line
	Discount int
	Note     string
}

// Total is what is to be paid.
func (o *Order) Total() int {
	sum := 0
	for _, l := range o.Lines {
		sum += l.Count * l.Cents
	}
	return sum - sum*o.Discount/100 //race:Order.Discount
}

// Apply gives a discount, the larger of two.
func (o *Order) Apply(percent int, note string) {
	if percent > o.Discount { //race:Order.Discount
		o.Discount = percent //race:Order.Discount
	}
	o.Note = note //race:Order.Note
}
