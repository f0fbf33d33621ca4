package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

func main() {
	r := newRelay()
	short := strings.NewReader("MAIL FROM:<a@x.test>\nQUIT\n")
	long := strings.NewReader(strings.Repeat("RCPT TO:<b@x.test>\n", 12) + "QUIT\n")
	var sessions []*session
	var inputs []io.Reader
	for _, in := range []io.Reader{short, long} {
		sessions = append(sessions, r.open())
		inputs = append(inputs, in)
	}
	for i, s := range sessions {
		go r.talk(s, inputs[i], io.Discard)
	}
	time.Sleep(2 * time.Millisecond)
	left := r.Shutdown()
	time.Sleep(8 * time.Millisecond)
	fmt.Println("cut off", left >= 0)
}
