module github.com/deadheat-corpus/lintdiagnostics

go 1.18
