package main

import (
	"fmt"
	"strings"
	"time"
)

func main() {
	b := &bucket{objects: map[string]int64{}}
	for i := 0; i < 3; i++ {
		key := fmt.Sprintf("nightly/%d.sql", i)
		n, err := ship(dump{[]string{"users", "orders"}, 20}, b, key)
		fmt.Println(key, n > 0, err)
	}
	time.Sleep(10 * time.Millisecond)
	fmt.Println(strings.Repeat("-", 10))
}
