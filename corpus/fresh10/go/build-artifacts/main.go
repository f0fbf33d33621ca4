package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"example.com/anvil/build/graph"
)

func main() {
	rules := []graph.Rule{
		{Name: "proto", Outputs: []string{"api.pb.h", "api.pb.cc"}, Cost: 2 * time.Millisecond},
		{Name: "version", Outputs: []string{"version.h"}, Cost: 2 * time.Millisecond},
		{Name: "icons", Outputs: []string{"icons.bin", "icons.idx"}, Cost: 2 * time.Millisecond},
		{Name: "server", Needs: []string{"proto", "version"}, Outputs: []string{"server"}, Cost: time.Millisecond},
	}
	b := graph.NewBuild(rules)
	if err := b.Run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("levels:", b.Levels())
}
