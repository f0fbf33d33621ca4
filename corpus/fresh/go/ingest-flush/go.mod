module github.com/deadheat-corpus/ingest

go 1.18
