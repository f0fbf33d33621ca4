package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

type slowReader struct {
	r     io.Reader
	pause time.Duration
}

func (s slowReader) Read(p []byte) (int, error) {
	time.Sleep(s.pause)
	if len(p) > 512 {
		p = p[:512]
	}
	return s.r.Read(p)
}

func transfer(dst io.Writer, src io.Reader, size int64) error {
	m := &meter{w: dst, total: size}
	stop := make(chan struct{})
	go m.show(2*time.Millisecond, stop)
	defer close(stop)
	_, err := io.Copy(m, src)
	return err
}

func main() {
	body := strings.Repeat("x", 16<<10)
	src := slowReader{strings.NewReader(body), time.Millisecond}
	if err := transfer(io.Discard, src, int64(len(body))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("\ndone")
}
