package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/deadheat-corpus/sessiontouch/sessions"
)

func handler(st *sessions.Store, token string) int {
	s, ok := st.Lookup(token)
	if !ok {
		return 401
	}
	_ = s.User
	return 200
}

func main() {
	st := sessions.NewStore(time.Minute)
	tok := st.Begin("ines")
	st.Begin("omar")

	var wg sync.WaitGroup
	codes := make(chan int, 32)
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < 4; n++ {
				codes <- handler(st, tok)
			}
		}()
	}
	wg.Wait()
	close(codes)
	served := 0
	for c := range codes {
		if c == 200 {
			served++
		}
	}
	fmt.Println("served", served)
}
