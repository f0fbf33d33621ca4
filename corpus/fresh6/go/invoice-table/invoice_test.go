package billing

import "testing"

var (
	small = &Invoice{Number: "2024-1", Cents: 900}
	large = &Invoice{Number: "2024-2", Cents: 90000}
)

func TestDiscount(t *testing.T) {
	tests := map[string]struct {
		inv *Invoice
		d   Discount
	}{
		"below the minimum": {small, Discount{Percent: 50, Min: 1000}},
		"ten percent":       {large, Discount{Percent: 10, Min: 1000}},
		"a fifth":           {large, Discount{Percent: 20, Min: 1000}},
		"nothing":           {large, Discount{}},
	}
	for name, tt := range tests {
		tt := tt
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := tt.d.Apply(tt.inv); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPaidInvoiceIsRefused(t *testing.T) {
	if err := (Discount{Percent: 5}).Apply(&Invoice{Paid: true}); err != errPaid {
		t.Errorf("got %v", err)
	}
}
