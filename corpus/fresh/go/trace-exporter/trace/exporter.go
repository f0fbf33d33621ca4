package trace

import (
	"bytes"
	"encoding/binary"
	"io"
)

// Exporter collects spans and sends them in one go.
type Exporter struct {
	buf   bytes.Buffer
	limit int
}

// NewExporter returns an exporter that keeps at most limit bytes.
func NewExporter(limit int) *Exporter {
	return &Exporter{limit: limit}
}

func (e *Exporter) export(s *Span) {
	var head [8]byte
	binary.LittleEndian.PutUint64(head[:], uint64(s.end.Sub(s.start)))
	e.append(head[:])
	e.append([]byte(s.name))
}

func (e *Exporter) append(p []byte) {
	e.buf.Write(p) //race:Exporter.buf
}

// Flush sends what was collected.
func (e *Exporter) Flush(w io.Writer) error {
	_, err := e.buf.WriteTo(w) //race:Exporter.buf
	return err
}
