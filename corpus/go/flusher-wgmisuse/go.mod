module example.com/batch/flusher

go 1.18
