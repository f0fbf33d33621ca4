package server

import (
	"testing"
	"time"
)

func scrape(s *Server) [3]int64 {
	return s.Stats.Snapshot()
}

func TestScrape(t *testing.T) {
	s := &Server{}
	go s.Serve(512)
	time.Sleep(30 * time.Millisecond)
	t.Log(scrape(s))
}
