// Package bulk loads files of rows into tables.
package bulk

import (
	"encoding/json"
	"net/http"
	"time"
)

// Status is what the status page shows.
type Status struct {
	Table string `json:"table"`
	Phase int    `json:"phase"`
	Rows  int64  `json:"rows"`
}

// Importer loads one file.
type Importer struct {
	status Status
	pause  time.Duration
}

// NewImporter makes an importer for a table.
func NewImporter(table string, pause time.Duration) *Importer {
	return &Importer{status: Status{Table: table}, pause: pause}
}

// ServeHTTP answers with the status.
func (im *Importer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := json.Marshal(&im.status) //race:Status.Phase,Status.Rows
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

// Load runs all phases over the batches.
func (im *Importer) Load(batches []int) {
	for phase := 1; phase <= 3; phase++ {
		im.enter(phase)
		for _, rows := range batches {
			time.Sleep(im.pause)
			im.count(rows)
		}
	}
}

func (im *Importer) enter(phase int) {
	im.status.Phase = phase //race:Status.Phase
}

func (im *Importer) count(rows int) {
	im.status.Rows += int64(rows) //race:Status.Rows
}
