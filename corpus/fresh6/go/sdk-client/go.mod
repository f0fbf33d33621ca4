module github.com/deadheat-corpus/sdkclient

go 1.18
