module github.com/deadheat-corpus/treewalk

go 1.18
