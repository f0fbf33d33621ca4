module github.com/deadheat-corpus/hookrecovery

go 1.18
