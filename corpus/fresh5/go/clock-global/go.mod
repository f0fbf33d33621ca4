module github.com/deadheat-corpus/clockglobal

go 1.18
