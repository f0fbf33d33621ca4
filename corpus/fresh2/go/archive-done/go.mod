module github.com/deadheat-corpus/archivedone

go 1.18
