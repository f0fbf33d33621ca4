package service

import (
	"testing"
	"time"
)

func TestPlaceWhileFollowing(t *testing.T) {
	s := New()
	go s.Place("1")
	time.Sleep(20 * time.Millisecond)
	go s.Place("2")
	time.Sleep(20 * time.Millisecond)
	s.Follow(func(string) {})
}
