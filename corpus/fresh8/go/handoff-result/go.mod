module github.com/deadheat-corpus/handoffresult

go 1.18
