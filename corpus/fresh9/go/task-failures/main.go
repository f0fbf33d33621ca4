package main

import (
	"context"
	"fmt"
	"time"
)

func main() {
	p := plan{
		{"build", []step{works("image", time.Millisecond), works("chart", 2*time.Millisecond)}},
		{"verify", []step{fails("eu-1"), fails("us-1"), fails("ap-1")}},
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	at, err := p.execute(ctx)
	fmt.Println("stopped at", at, "with an error:", err != nil)
}
