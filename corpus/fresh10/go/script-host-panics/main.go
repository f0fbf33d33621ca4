package main

import (
	"fmt"
	"time"
)

func main() {
	h := newHost()
	h.register("greet", func(args []string) string { return "hello " + args[0] })
	h.register("sum", func(args []string) string { return fmt.Sprint(len(args)) })
	for i := 0; i < 8; i++ {
		h.submit("greet", "ada")
		h.submit("greet")
		h.submit("sum", "1", "2")
		time.Sleep(200 * time.Microsecond)
		_ = h.healthy()
	}
	h.wait()
	fmt.Println("scripts ran:", h.ran.Load())
}
