package exporter

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestScrape(t *testing.T) {
	e := Start("node-7")
	defer e.Close()
	time.Sleep(10 * time.Millisecond)
	resp, err := http.Get(e.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(body), "node-7") {
		t.Fatal(string(body), err)
	}
}
