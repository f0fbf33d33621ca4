package fetch

import (
	"testing"
	"time"
)

var mirrors = []Mirror{{"de", 2 * time.Millisecond, 3}, {"fr", 9 * time.Millisecond, 5}}

func TestCopy(t *testing.T) {
	if sizes, err := Copy(mirrors...); err != nil || len(sizes) != 2 {
		t.Fatal(sizes, err)
	}
}

func TestNewest(t *testing.T) {
	if n, err := Newest(mirrors...); err != nil || n > 5 {
		t.Fatal(n, err)
	}
}
