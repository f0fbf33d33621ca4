package main

import (
	"context"
	"fmt"
	"time"
)

func refresh(l *loader, limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	n, err := l.load(ctx)
	fmt.Println("prices", n, err)
}

func main() {
	l := &loader{
		feed:  &feed{delay: 4 * time.Millisecond, list: []price{{"A", 100}, {"B", 0}, {"C", 900}}},
		limit: 1000,
	}
	refresh(l, 50*time.Millisecond)
	refresh(l, 2*time.Millisecond)
	time.Sleep(6 * time.Millisecond)
}
