module github.com/deadheat-corpus/buildjob

go 1.18
