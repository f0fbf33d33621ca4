module github.com/deadheat-corpus/puzzlemaker

go 1.18
