package ingest

// Checkpoints calls a function each time that a batch is on disk.
func Checkpoints(in *Ingester, batches <-chan []string, saved func()) {
	for batch := range batches {
		in.Flush(batch)
		go func() {
			in.Sync()
			saved()
		}()
	}
}
