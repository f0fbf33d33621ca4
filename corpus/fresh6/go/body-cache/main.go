package main

import "fmt"

func main() {
	cache := newBodyCache()
	for i := 0; i < 12; i++ {
		body := renderArticle(article{id: i, title: "weather tomorrow"})
		cache.in <- cached{key: i, body: body}
	}
	close(cache.in)
	fmt.Println("kept", <-cache.done)
}
