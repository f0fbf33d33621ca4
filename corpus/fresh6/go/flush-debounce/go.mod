module github.com/deadheat-corpus/flushdebounce

go 1.18
