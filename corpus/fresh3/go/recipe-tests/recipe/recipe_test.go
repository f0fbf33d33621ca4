package recipe

import (
	"testing"
	"time"
)

var soup = New("pea soup", map[string]int{"peas": 300, "leek": 80})

func scaled(t *testing.T, n int, after time.Duration) {
	t.Helper()
	time.Sleep(after)
	if err := soup.Scale(n); err != nil {
		t.Fatal(err)
	}
	time.Sleep(8 * time.Millisecond)
}

func TestFour(t *testing.T) {
	t.Parallel()
	scaled(t, 4, 2*time.Millisecond)
}

func TestAsItIs(t *testing.T) {
	t.Parallel()
	time.Sleep(6 * time.Millisecond)
	if soup.Need("leek") < 1 || soup.Card() == "" {
		t.Error("an empty recipe")
	}
}
