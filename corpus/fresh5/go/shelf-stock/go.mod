module github.com/deadheat-corpus/shelfstock

go 1.18
