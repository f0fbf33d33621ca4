module github.com/deadheat-corpus/imudriver

go 1.18
