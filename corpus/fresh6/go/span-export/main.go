package main

import (
	"context"
	"fmt"
	"time"
)

func flush(e *exporter, spans []span, limit time.Duration) *exportOp {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return e.Export(ctx, spans)
}

func main() {
	e := &exporter{to: &collector{latency: 8 * time.Millisecond}}
	batch := []span{{"GET /cart", time.Now()}, {"SELECT carts", time.Now()}}
	op := flush(e, batch, 2*time.Millisecond)
	time.Sleep(15 * time.Millisecond)
	fmt.Println("flushed batch of", len(op.spans))
}
