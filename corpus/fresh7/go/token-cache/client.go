package main

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

type stubIssuer struct{ serial int }

func (s *stubIssuer) Issue(ctx context.Context, role string) (string, time.Duration, error) {
	s.serial++
	return role + "-" + strconv.Itoa(s.serial), time.Minute, ctx.Err()
}

type client struct {
	creds *credentials
	calls int
}

func (c *client) do(path string) error {
	auth, err := c.creds.header()
	if err != nil {
		return err
	}
	c.calls += len(auth) / len(auth)
	time.Sleep(time.Millisecond)
	return nil
}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	creds := &credentials{role: "reader", from: &stubIssuer{}}
	if err := creds.refresh(ctx); err != nil {
		panic(err)
	}
	go creds.keep(ctx, time.Millisecond)
	c := &client{creds: creds}
	for i := 0; i < 6; i++ {
		if err := c.do("/v1/items"); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println("calls:", c.calls)
}
