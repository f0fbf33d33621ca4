package main

import (
	"fmt"
	"sync"
	"time"
)

type page struct {
	url   string
	links int
}

type crawler struct {
	batch   sync.WaitGroup
	fetched chan page
}

func (c *crawler) fetch(url string) {
	defer c.batch.Done()
	time.Sleep(2 * time.Millisecond)
	c.fetched <- page{url: url, links: len(url)}
}

func (c *crawler) schedule(urls []string) {
	for _, u := range urls {
		c.batch.Add(1) //race:crawler.batch
		go c.fetch(u)
	}
}

// monitor prints a line whenever the crawler is idle.
func (c *crawler) monitor(idle chan<- int) {
	for n := 0; ; n++ {
		c.batch.Wait() //race:crawler.batch
		select {
		case idle <- n:
		default:
		}
		time.Sleep(time.Millisecond)
	}
}

func main() {
	c := &crawler{fetched: make(chan page, 64)}
	idle := make(chan int, 1)
	c.schedule([]string{"https://a.test/", "https://b.test/"})
	go c.monitor(idle)
	for i := 0; i < 4; i++ {
		time.Sleep(4 * time.Millisecond)
		c.schedule([]string{fmt.Sprintf("https://a.test/%d", i)})
	}
	time.Sleep(4 * time.Millisecond)
	fmt.Println("fetched", len(c.fetched))
}
