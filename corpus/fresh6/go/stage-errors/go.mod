module github.com/deadheat-corpus/stageerrors

go 1.18
