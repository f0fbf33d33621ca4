package main

import (
	"fmt"

	"github.com/deadheat-corpus/modgraphfetch/resolve"
)

func main() {
	g := resolve.NewGraph(resolve.Table{
		"app":    {"net", "yaml"},
		"net":    {"bytes", "errs"},
		"yaml":   {"reflectx", "errs"},
		"worker": {"queue", "errs"},
	})
	g.Load("app", "net", "yaml", "worker")
	fmt.Println("loaded", g.Size() > 0)
}
