package orders

import (
	"testing"
	"time"
)

var sample = &Order{Lines: []Line{{"pen", 2, 150}, {"ink", 1, 900}}}

// quoted applies a discount as often as a customer asks for the price.
func quoted(percent int, note string) (total int) {
	for i := 0; i < 8; i++ {
		sample.Apply(percent, note)
		total = sample.Total()
		time.Sleep(200 * time.Microsecond)
	}
	return total
}

func TestStaffDiscount(t *testing.T) {
	t.Parallel()
	if got := quoted(20, "staff"); got > 960 {
		t.Errorf("staff pays %d", got)
	}
}

func TestNewsletterDiscount(t *testing.T) {
	t.Parallel()
	if got := quoted(5, "newsletter"); got > 1140 {
		t.Errorf("reader pays %d", got)
	}
}

func TestClearance(t *testing.T) {
	t.Parallel()
	if got := quoted(50, "clearance"); got > 600 {
		t.Errorf("customer pays %d", got)
	}
}

func TestEmptyOrder(t *testing.T) {
	if got := (&Order{}).Total(); got != 0 {
		t.Errorf("an empty order costs %d", got)
	}
}
