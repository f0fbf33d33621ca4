module github.com/deadheat-corpus/gaugeexporter

go 1.18
