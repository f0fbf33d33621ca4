package main

import (
	"fmt"
	"time"
)

type fakeIssuer struct{ n int }

func (f *fakeIssuer) Refresh(string) (grant, error) {
	f.n++
	return grant{access: fmt.Sprintf("at-%d", f.n), seconds: 30}, nil
}

type ordersAPI struct {
	auth *tokenSource
}

func (o *ordersAPI) list(page int) (string, error) {
	h, err := o.auth.header()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s page %d", h, page), nil
}

func main() {
	src := newTokenSource(&fakeIssuer{}, "rt-1")
	if err := src.renew(); err != nil {
		panic(err)
	}
	stop := make(chan struct{})
	go src.keepFresh(time.Millisecond, stop)
	api := &ordersAPI{auth: src}
	for p := 0; p < 10; p++ {
		if _, err := api.list(p); err != nil {
			fmt.Println(err)
		}
		time.Sleep(700 * time.Microsecond)
	}
	close(stop)
	fmt.Println("listed")
}
