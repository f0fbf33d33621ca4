package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
)

type database struct {
	tables map[string]int
}

func (d *database) load(r io.Reader) error {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		table, _, ok := strings.Cut(lines.Text(), " ")
		if !ok {
			return fmt.Errorf("bad line %q", lines.Text())
		}
		d.tables[table]++
	}
	return lines.Err()
}

func expand(w io.Writer, dump string) error {
	for _, word := range strings.Split(dump, ";") {
		if _, err := fmt.Fprintln(w, word); err != nil {
			return err
		}
	}
	return nil
}

// restore loads a dump while it is being expanded.
func restore(d *database, dump string) error {
	var err error
	pr, pw := io.Pipe()
	go func() {
		err = expand(pw, dump) //race:err
		pw.CloseWithError(err) //race:err
		time.Sleep(time.Millisecond)
	}()
	if err = d.load(pr); err != nil { //race:err
		pr.CloseWithError(err) //race:err
	}
	time.Sleep(2 * time.Millisecond)
	return err //race:err
}

func main() {
	d := &database{tables: map[string]int{}}
	err := restore(d, "users 1;users 2;broken;orders 1")
	fmt.Println(len(d.tables), err != nil || err == nil)
}
