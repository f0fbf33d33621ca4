package export

import (
	"io"
	"testing"
	"time"
)

type slowSheet struct{}

func (slowSheet) Write(p []byte) (int, error) {
	time.Sleep(200 * time.Microsecond)
	return len(p), nil
}

func TestBooksAreCounted(t *testing.T) {
	books := map[string][]Line{
		"cash":  {{"1000", 1250}, {"1000", -250}},
		"sales": {{"8400", 9900}},
		"rent":  {{"4210", -80000}},
	}
	sum := Books(books, func(string) io.Writer { return slowSheet{} })
	if n := sum.Sheets(); n > len(books) {
		t.Errorf("%d sheets of %d books", n, len(books))
	}
}
