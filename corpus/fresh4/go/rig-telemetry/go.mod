module github.com/deadheat-corpus/rigtelemetry

go 1.18
