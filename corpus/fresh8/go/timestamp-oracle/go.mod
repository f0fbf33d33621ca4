module github.com/deadheat-corpus/timestamporacle

go 1.18
