module github.com/deadheat-corpus/futureverdict

go 1.18
