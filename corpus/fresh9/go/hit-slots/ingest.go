package main

import (
	"bufio"
	"io"
	"strings"
	"sync"

	"example.com/ads/frequency/sketch"
)

func ingest(logs []io.Reader, into *sketch.Sketch) {
	wg := &sync.WaitGroup{}
	for _, r := range logs {
		wg.Add(1)
		go readLog(r, into, wg)
	}
	wg.Wait()
}

func readLog(r io.Reader, into *sketch.Sketch, wg *sync.WaitGroup) {
	defer wg.Done()
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		campaign, _, ok := strings.Cut(sc.Text(), " ")
		if ok {
			into.Add(campaign)
		}
	}
}
