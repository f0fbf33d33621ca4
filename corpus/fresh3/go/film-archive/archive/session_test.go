package archive

import (
	"testing"
	"time"
)

func reel(ms int, texts ...string) Reel {
	return Reel{Texts: texts, Wind: time.Duration(ms) * time.Millisecond}
}

func TestSearch(t *testing.T) {
	store := Store{"Metropolis": {reel(4, "the robot"), reel(7, "a robot burns"), reel(12, "end"), reel(12, "end")}}
	session := NewSession(store, nil, 2)
	found, err := session.Search("robot in Metropolis", 10*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if found > 2 {
		t.Fatalf("found %d", found)
	}
}
