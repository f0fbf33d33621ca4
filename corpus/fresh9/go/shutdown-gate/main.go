package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"example.com/svc/lifecycle/lifecycle"
)

func serve(g *lifecycle.Gate, wg *sync.WaitGroup) {
	defer wg.Done()
	for {
		if err := g.Enter(); err != nil {
			return
		}
		time.Sleep(200 * time.Microsecond)
		g.Leave()
	}
}

func main() {
	g := &lifecycle.Gate{}
	sigs := make(chan os.Signal, 1)
	signal.Notify(sigs, syscall.SIGTERM)

	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go serve(g, &wg)
	}
	time.AfterFunc(5*time.Millisecond, func() {
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	})
	<-sigs
	g.Drain()
	wg.Wait()
	fmt.Println("drained")
}
