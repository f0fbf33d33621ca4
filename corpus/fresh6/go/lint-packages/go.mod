module github.com/deadheat-corpus/lintpackages

go 1.25
