module github.com/deadheat-corpus/walcheckpoint

go 1.18
