package main

import (
	"errors"
	"fmt"
	"time"
)

var errNotLeader = errors.New("not the leader")

type store struct {
	m    *member
	data map[string]string
}

func (s *store) put(k, v string) error {
	if !s.m.mayWrite() {
		return errNotLeader
	}
	s.data[k] = v
	return nil
}

func main() {
	m := &member{id: "m1"}
	m.observe(make(chan string))
	events := make(chan string)
	m.observe(events)

	s := &store{m: m, data: map[string]string{}}
	go func() {
		for _, who := range []string{"m2", "m1", "m3", "m1"} {
			events <- who
			time.Sleep(time.Millisecond)
		}
		close(events)
	}()
	refused := 0
	for i := 0; i < 12; i++ {
		if err := s.put(fmt.Sprint(i), "x"); err != nil {
			refused++
		}
		time.Sleep(400 * time.Microsecond)
	}
	fmt.Println("refused some:", refused > 0)
}
