module github.com/deadheat-corpus/sessionkill

go 1.18
