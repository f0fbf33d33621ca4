package main

import "fmt"

func main() {
	lines := 0
	p := &pusher{
		to:   &remote{blobs: map[string]int{}},
		tell: func(string) { lines++ },
	}
	layers := []layer{
		{"layer", []byte("base system")},
		{"layer", []byte("application")},
		{"config", []byte("{}")},
		{"config", []byte("{\"entry\":1}")},
	}
	if err := p.push(layers); err != nil {
		fmt.Println(err)
	}
	fmt.Println("told", lines)
}
