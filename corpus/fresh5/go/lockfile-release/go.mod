module github.com/deadheat-corpus/lockfilerelease

go 1.18
