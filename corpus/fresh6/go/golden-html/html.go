package html

import (
	"fmt"
	"strings"
	"time"
)

type Node struct {
	Tag  string
	Text string
	Kids []Node
}

// Render writes a tree with two spaces per level.
func Render(n Node) string {
	var b strings.Builder
	render(&b, n, 0)
	return b.String()
}

func render(b *strings.Builder, n Node, depth int) {
	time.Sleep(200 * time.Microsecond)
	pad := strings.Repeat("  ", depth)
	fmt.Fprintf(b, "%s<%s>%s\n", pad, n.Tag, n.Text)
	for _, k := range n.Kids {
		render(b, k, depth+1)
	}
}
