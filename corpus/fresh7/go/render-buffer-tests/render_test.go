package render

import (
	"bytes"
	"testing"
	"time"
)

var out bytes.Buffer

func TestOneRow(t *testing.T) {
	t.Parallel()
	tab := Table{Columns: []string{"id"}, Rows: []map[string]string{{"id": "1"}}}
	if err := tab.Write(&out); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond)
	if !bytes.Contains(out.Bytes(), []byte("id")) { //race:out
		t.Error("no header")
	}
}

func TestNoRows(t *testing.T) {
	t.Parallel()
	tab := Table{Columns: []string{"sku"}}
	if err := tab.Write(&out); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond)
	if out.Len() == 0 { //race:out
		t.Error("no header")
	}
}
