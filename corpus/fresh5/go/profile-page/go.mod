module github.com/deadheat-corpus/profilepage

go 1.18
