// Package mux carries many streams over one connection.
package mux

import (
	"encoding/binary"
	"io"
)

type frame struct {
	stream uint16
	body   []byte
}

func readFrame(r io.Reader) (frame, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	f := frame{stream: binary.BigEndian.Uint16(head[:2])}
	f.body = make([]byte, binary.BigEndian.Uint16(head[2:]))
	_, err := io.ReadFull(r, f.body)
	return f, err
}

func writeFrame(w io.Writer, f frame) error {
	buf := make([]byte, 4, 4+len(f.body))
	binary.BigEndian.PutUint16(buf, f.stream)
	binary.BigEndian.PutUint16(buf[2:], uint16(len(f.body)))
	_, err := w.Write(append(buf, f.body...))
	return err
}
