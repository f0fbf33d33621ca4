package web

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/flagsoverride/flags"
)

func TestOverrideUnderTraffic(t *testing.T) {
	f := flags.New(map[string]bool{"beta": true, "dark": false})
	page := Chain(func(path string) string { return path }, Gate(f, "beta"), Gate(f, "dark"))
	done := make(chan bool, 3)
	for client := 0; client < 2; client++ {
		go func() {
			for i := 0; i < 2; i++ {
				time.Sleep(3 * time.Millisecond)
				page("/cart")
			}
			done <- true
		}()
	}
	go func() {
		time.Sleep(5 * time.Millisecond)
		f.Override("beta", true)
		done <- true
	}()
	for i := 0; i < cap(done); i++ {
		<-done
	}
}
