module github.com/deadheat-corpus/plannerhistograms

go 1.18
