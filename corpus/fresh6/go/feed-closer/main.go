package main

import (
	"fmt"
	"time"
)

func main() {
	ended := 0
	for i := 0; i < 3; i++ {
		f := newFeed()
		go f.produce([]quote{{"ACM", 100}, {"GLX", 250}, {"INI", 75}})
		go f.watchdog(time.Millisecond)
		<-f.done
		ended++
		time.Sleep(time.Millisecond)
	}
	fmt.Println("feeds ended", ended)
}
