module github.com/deadheat-corpus/zonerollout

go 1.18
