package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

func main() {
	p := &pipeline[string]{}
	p.then("trim", func(s string) (string, error) { return s + ".", nil })
	p.then("parse", func(s string) (string, error) {
		if _, err := strconv.Atoi(s[:1]); err != nil {
			return "", errors.Join(errors.New("not a number"), err)
		}
		return s, nil
	})
	in := make(chan string)
	out := p.run(in)
	go func() {
		defer close(in)
		for _, s := range []string{"1", "x", "3", "y", "z", "6"} {
			in <- s
			time.Sleep(200 * time.Microsecond)
		}
	}()
	for s := range out {
		if !p.ok() {
			fmt.Println("after an error:", s)
		}
	}
}
