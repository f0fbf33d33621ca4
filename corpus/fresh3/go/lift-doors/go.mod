module github.com/deadheat-corpus/liftdoors

go 1.18
