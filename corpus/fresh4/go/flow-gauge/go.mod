module github.com/deadheat-corpus/flowgauge

go 1.18
