// Package importer reads rows out of files.
package importer

import "time"

// Source gives rows to a callback.
type Source func(row func(text string))

// Report is told about progress.
type Report func(rows, bytes int)

// Import reads a source and reports on the way.
func Import(src Source, report Report, every time.Duration) int {
	rows, size := 0, 0
	done := make(chan struct{})
	go func() {
		src(func(text string) {
			rows++            //race:Import.rows
			size += len(text) //race:Import.size
		})
		close(done)
	}()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r := rows //race:Import.rows
			s := size //race:Import.size
			report(r, s)
		case <-done:
			return rows
		}
	}
}
