module github.com/deadheat-corpus/wordcountmerge

go 1.18
