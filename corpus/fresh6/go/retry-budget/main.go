package main

import (
	"context"
	"fmt"
	"time"
)

func flaky(ctx context.Context, method string, attempt int) error {
	time.Sleep(300 * time.Microsecond)
	if attempt < 2 {
		return errUnavailable
	}
	return nil
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c := &client{send: flaky, retries: newBudget(10)}

	errs := make(chan error)
	for i := 0; i < 3; i++ {
		go func() { errs <- c.Invoke(ctx, "inventory.Reserve") }()
	}
	for i := 0; i < 3; i++ {
		if err := <-errs; err != nil {
			fmt.Println("call:", err)
		}
	}
	fmt.Println("left", c.retries.left("inventory.Reserve"))
}
