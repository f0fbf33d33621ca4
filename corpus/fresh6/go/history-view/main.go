package main

import (
	"fmt"
	"time"
)

type shell struct {
	hist *history
}

func (s *shell) exec(cmd string) {
	id := s.hist.add(cmd)
	time.Sleep(400 * time.Microsecond)
	s.hist.finish(id, "ok")
}

func main() {
	s := &shell{hist: &history{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, c := range []string{"ls", "make", "git fetch", "go vet", "df"} {
			s.exec(c)
		}
	}()
	for i := 0; i < 8; i++ {
		page(s.hist)
		time.Sleep(300 * time.Microsecond)
	}
	<-done
	fmt.Println(len(s.hist.all()), "commands")
}
