module github.com/deadheat-corpus/queuecursor

go 1.18
