package server

import (
	"testing"
	"time"
)

func TestHealthy(t *testing.T) {
	s := &Server{}
	go s.Run(func() {})
	time.Sleep(30 * time.Millisecond)
	t.Log(s.Healthy())
}
