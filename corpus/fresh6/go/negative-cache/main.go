package main

import (
	"context"
	"fmt"
	"time"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := newResolver(ctx, map[string]string{"db.test": "10.0.0.5"}, time.Millisecond)
	found := 0
	for i := 0; i < 15; i++ {
		if _, err := r.lookup(fmt.Sprintf("host-%d.test", i)); err == nil {
			found++
		}
		time.Sleep(200 * time.Microsecond)
	}
	fmt.Println("found", found)
}
