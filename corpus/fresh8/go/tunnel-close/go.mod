module github.com/deadheat-corpus/tunnelclose

go 1.18
