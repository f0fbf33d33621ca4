module github.com/deadheat-corpus/exportzip

go 1.18
