package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

func main() {
	l := newLoader(slowRow)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := l.Get(ctx, "user:17")
	if errors.Is(err, errGaveUp) {
		fmt.Println("no row yet")
	}
	time.Sleep(8 * time.Millisecond)
	v, err := l.Get(context.Background(), "user:18")
	fmt.Println(v, err)
}
