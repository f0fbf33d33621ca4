package main

import "fmt"

func inbox(address string, n int) mailbox {
	m := mailbox{address: address}
	for i := 0; i < n; i++ {
		m.items = append(m.items, item{subject: fmt.Sprint(address, " #", i), unread: i%3 != 0})
	}
	return m
}

func main() {
	boxes := []mailbox{
		inbox("ops@example.com", 12),
		inbox("dev@example.com", 9),
		inbox("qa@example.com", 15),
		inbox("web@example.com", 10),
	}
	b := newBuilder(len(boxes))
	for _, m := range boxes {
		b.add(m)
	}
	fmt.Println(len(b.finish()), "digests")
}
