package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"time"
)

type file struct {
	name string
	body []byte
}

type vault struct {
	stored int
}

// put reads a stream and keeps it.
func (v *vault) put(r io.Reader) (int, error) {
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(r); err != nil {
		return 0, err
	}
	v.stored += buf.Len()
	time.Sleep(time.Millisecond)
	return buf.Len(), nil
}

func writeAll(w io.Writer, files []file) error {
	for _, f := range files {
		if _, err := fmt.Fprintf(w, "%s %d\n", f.name, len(f.body)); err != nil {
			return err
		}
		if _, err := w.Write(f.body); err != nil {
			return err
		}
	}
	return nil
}

// backup streams the files into the vault.
func backup(v *vault, files []file) (int, error) {
	pr, pw := io.Pipe()
	zw, err := gzip.NewWriterLevel(pw, gzip.BestSpeed)
	if err != nil {
		return 0, err
	}
	go func() {
		if err = writeAll(zw, files); err != nil { //race:err
			pw.CloseWithError(err) //race:err
			return
		}
		zw.Close()
		err = pw.Close() //race:err
	}()

	n, err2 := v.put(pr)
	if err != nil { //race:err
		return n, fmt.Errorf("backup: %w", err) //race:err
	}
	return n, err2
}

func main() {
	v := &vault{}
	for i := 0; i < 3; i++ {
		files := []file{{"a.txt", make([]byte, 300)}, {"b.txt", make([]byte, 50*i)}}
		if _, err := backup(v, files); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println("stored some:", v.stored > 0)
}
