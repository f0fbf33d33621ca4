module github.com/deadheat-corpus/radiomixer

go 1.18
