package main

import "fmt"

func main() {
	c := newCrawler(4)
	for i := 0; i < 24; i++ {
		c.enqueue(fmt.Sprintf("https://example.org/page/%d", i))
	}
	c.finish()
	fmt.Println("workers:", c.workers)
}
