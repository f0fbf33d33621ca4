module github.com/deadheat-corpus/plandiagnostics

go 1.18
