module github.com/deadheat-corpus/villagenews

go 1.18
