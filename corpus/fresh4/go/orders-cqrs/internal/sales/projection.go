// Package sales knows what was sold.
package sales

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/orderscqrs/internal/eventbus"
)

// RevenueProjection adds revenue up by region.
type RevenueProjection struct {
	revenueByRegion map[string]int64
	lastSequence    uint64
}

// NewRevenueProjection returns a projection without revenue.
func NewRevenueProjection() *RevenueProjection {
	return &RevenueProjection{revenueByRegion: make(map[string]int64)}
}

// HandleEvent applies an event.
func (projection *RevenueProjection) HandleEvent(event eventbus.DomainEvent) error {
	switch placed := event.(type) {
	case OrderPlaced:
		time.Sleep(placed.Effort)
		projection.whenOrderPlaced(placed)
		time.Sleep(20 * time.Millisecond)
		return nil
	default:
		return fmt.Errorf("unexpected event %T", event)
	}
}

func (projection *RevenueProjection) whenOrderPlaced(placed OrderPlaced) {
	projection.revenueByRegion[placed.Region] += placed.Amount //race:RevenueProjection.revenueByRegion[]
	projection.lastSequence = placed.Sequence                  //race:RevenueProjection.lastSequence
}
