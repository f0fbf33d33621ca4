package main

import (
	"fmt"
	"time"

	"github.com/deadheat-corpus/seqorders/book"
)

func clerk(b *book.Book) {
	for _, item := range []string{"nuts", "bolts", "nails"} {
		time.Sleep(4 * time.Millisecond)
		b.Enter(book.Order{Item: item, Count: 2})
	}
	time.Sleep(30 * time.Millisecond)
}

func main() {
	b := book.New(8)
	go clerk(b)
	time.Sleep(10 * time.Millisecond)
	sum := 0
	for n := range b.Orders() {
		sum += n
	}
	for _, n := range b.Items() {
		sum += n
	}
	time.Sleep(10 * time.Millisecond)
	fmt.Println(sum > 1000)
}
