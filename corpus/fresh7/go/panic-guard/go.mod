module github.com/deadheat-corpus/panicguard

go 1.18
