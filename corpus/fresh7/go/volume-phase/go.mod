module github.com/deadheat-corpus/volumephase

go 1.18
