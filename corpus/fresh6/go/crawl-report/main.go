package main

import "fmt"

func main() {
	site := cannedSite{
		"https://docs.test/":      {"/a", "/b"},
		"https://docs.test/guide": {"/c", "mailto:ops@docs.test"},
		"https://docs.test/faq":   {"/d"},
	}
	c := newChecker(site, 4)
	rep := c.Check("https://docs.test", []string{"/", "/guide", "/old", "/faq", "/older", "/api"})
	fmt.Printf("%s: %d links, %d broken\n", rep.root, len(rep.links), len(rep.broken))
}
