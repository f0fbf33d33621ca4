module github.com/deadheat-corpus/fleetconfig

go 1.18
