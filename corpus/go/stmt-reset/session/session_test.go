package session

import (
	"testing"
	"time"
)

func TestExecuteTwice(t *testing.T) {
	s := &Session{}
	for _, q := range []string{"insert into t values (1)", ""} {
		if err := s.Execute(q); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Millisecond)
	}
}
