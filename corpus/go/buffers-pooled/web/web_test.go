package web

import "testing"

func TestServe(t *testing.T) {
	s := &Server{}
	s.Serve()
}
