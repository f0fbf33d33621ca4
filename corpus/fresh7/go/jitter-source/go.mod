module github.com/deadheat-corpus/jittersource

go 1.18
