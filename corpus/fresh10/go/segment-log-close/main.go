package main

import (
	"fmt"
	"time"
)

func main() {
	l := openLog(&memFile{}, 200*time.Microsecond)
	for i := 0; i < 10; i++ {
		if _, err := fmt.Fprintf(l, "record %d\n", i); err != nil {
			fmt.Println(err)
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
	fmt.Println("closed:", l.Close() == nil)
	time.Sleep(2 * time.Millisecond)
}
