module github.com/deadheat-corpus/stageecho

go 1.21
