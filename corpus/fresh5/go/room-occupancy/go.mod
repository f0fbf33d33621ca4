module github.com/deadheat-corpus/roomoccupancy

go 1.18
