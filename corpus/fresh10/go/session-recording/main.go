package main

import (
	"fmt"
	"io"
	"strings"
)

func main() {
	rec := newRecorder("pts/3")
	keys := strings.NewReader(strings.Repeat("ls -l\n", 40))
	screen := strings.NewReader(strings.Repeat("total 0\n", 40))
	s := &session{in: keys, out: screen, rec: rec}
	if err := s.run(io.Discard); err != nil {
		fmt.Println(err)
	}
	fmt.Println("recorded", rec.title)
}
