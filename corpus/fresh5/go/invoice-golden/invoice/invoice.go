package invoice

import (
	"bytes"
	"io"
	"strconv"
)

// Line is one position of an invoice.
type Line struct {
	Text  string
	Cents int
}

// Render writes an invoice as text.
func Render(w io.Writer, lines []Line) error {
	var row []byte
	for _, l := range lines {
		row = append(row[:0], l.Text...)
		row = append(row, ' ')
		row = strconv.AppendInt(row, int64(l.Cents), 10)
		if _, err := w.Write(append(row, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// Empty says whether nothing was rendered.
func Empty(b *bytes.Buffer) bool {
	return b.Len() == 0
}
