module github.com/deadheat-corpus/planetariumshow

go 1.18
