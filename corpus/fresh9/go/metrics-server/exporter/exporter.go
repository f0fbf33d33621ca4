package exporter

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"
)

// Exporter serves metrics.
type Exporter struct {
	instance string
	server   *httptest.Server
}

func (e *Exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "up{instance=%q} 1\n", e.instance) //race:Exporter.instance
}

func (e *Exporter) selfCheck() {
	for i := 0; i < 3; i++ {
		resp, err := http.Get(e.server.URL)
		if err != nil {
			return
		}
		resp.Body.Close()
		time.Sleep(time.Millisecond)
	}
}

// Start serves on a free port.
func Start(instance string) *Exporter {
	e := &Exporter{}
	e.server = httptest.NewServer(e)
	go e.selfCheck()
	time.Sleep(3 * time.Millisecond) // resolve our own name
	e.instance = instance            //race:Exporter.instance
	return e
}

// Close ends the server.
func (e *Exporter) Close() { e.server.Close() }
