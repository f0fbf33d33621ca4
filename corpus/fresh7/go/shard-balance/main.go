package main

import (
	"fmt"
	"strconv"
	"time"
)

func main() {
	m := newShardMap(2)
	stop := make(chan struct{})
	go m.balance(time.Millisecond, stop)
	for i := 0; i < 12; i++ {
		m.put("key-"+strconv.Itoa(i), make([]byte, i))
		time.Sleep(500 * time.Microsecond)
	}
	close(stop)
	fmt.Println("stored")
}
