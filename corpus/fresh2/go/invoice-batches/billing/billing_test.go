package billing

import (
	"testing"
	"time"
)

func TestDispatch(t *testing.T) {
	var null MailerFunc = func(number int, cents int64) error { return nil }
	d := New(null, 4*time.Millisecond)
	d.Dispatch([]Invoice{{1, 1999}, {2, 500}, {3, 12000}})
}
