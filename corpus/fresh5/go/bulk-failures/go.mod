module github.com/deadheat-corpus/bulkfailures

go 1.18
