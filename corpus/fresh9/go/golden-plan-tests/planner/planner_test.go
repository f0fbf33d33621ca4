package planner

import (
	"testing"
	"time"
)

var catalogue = []Column{
	{"ID", true},
	{"Created_At", true},
	{"Amount", false},
	{"Customer_ID", true},
}

func TestPlan(t *testing.T) {
	for name, tc := range map[string]struct {
		cols   []Column
		filter string
		want   string
	}{
		"primary key": {catalogue[:1], "ID", "index scan orders(id)"},
		"indexed":     {catalogue, "CREATED_AT", "index scan orders(created_at)"},
		"unindexed":   {catalogue[:3], "amount", "seq scan orders"},
		"foreign key": {catalogue, "customer_id", "index scan orders(customer_id)"},
	} {
		name, tc := name, tc
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			time.Sleep(time.Millisecond) // as long as the real catalogue takes
			if got := Plan("orders", tc.cols, tc.filter); got != tc.want {
				t.Errorf("%s: got %q, want %q", name, got, tc.want)
			}
		})
	}
}
