module github.com/deadheat-corpus/podreconciler

go 1.18
