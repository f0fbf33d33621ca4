package sales_test

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/orderscqrs/internal/eventbus"
	"github.com/deadheat-corpus/orderscqrs/internal/sales"
)

func TestRevenueProjection_HandlesManyOrders(t *testing.T) {
	bus := eventbus.NewEventBus(2)
	bus.Subscribe(sales.NewRevenueProjection())
	bus.Publish(sales.OrderPlaced{Sequence: 1, Region: "EMEA", Amount: 100, Effort: 2 * time.Millisecond})
	bus.Publish(sales.OrderPlaced{Sequence: 2, Region: "APAC", Amount: 200, Effort: 11 * time.Millisecond})
	bus.Drain()
}
