package main

import (
	"bufio"
	"fmt"
	"io"
)

type dump struct {
	tables []string
	rows   int
}

func (d dump) writeTo(w io.Writer) error {
	bw := bufio.NewWriterSize(w, 64)
	for _, t := range d.tables {
		for i := 0; i < d.rows; i++ {
			if _, err := fmt.Fprintf(bw, "INSERT INTO %s VALUES (%d);\n", t, i); err != nil {
				return err
			}
		}
	}
	return bw.Flush()
}

type bucket struct{ objects map[string]int64 }

func (b *bucket) put(key string, r io.Reader) (int64, error) {
	n, err := io.Copy(io.Discard, r)
	b.objects[key] = n
	return n, err
}

func ship(d dump, to *bucket, key string) (int64, error) {
	var err error
	pr, pw := io.Pipe()
	go func() {
		err = d.writeTo(pw) //race:err
		pw.CloseWithError(err)
		if err != nil { //race:err
			fmt.Println("dump:", err)
		}
	}()

	var n int64
	n, err = to.put(key, pr) //race:err
	if err != nil {          //race:err
		return 0, fmt.Errorf("put %s: %w", key, err)
	}
	return n, nil
}
