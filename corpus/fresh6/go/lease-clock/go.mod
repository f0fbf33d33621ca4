module github.com/deadheat-corpus/leaseclock

go 1.18
