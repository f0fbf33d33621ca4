package main

import "fmt"

func main() {
	j := &job{id: "4711", root: "/builds/4711", stages: []stage{
		{steps: []step{
			{name: "compile", outputs: map[string]int64{"bin/server": 9000}},
			{name: "docs", outputs: map[string]int64{"docs.tgz": 1200}},
		}},
		{steps: []step{{name: "package", outputs: map[string]int64{"server.deb": 9800}}}},
	}}
	r := &runner{parallel: true, bytes: make(chan int64, 8)}
	fmt.Println("bytes:", r.run(j))
}
