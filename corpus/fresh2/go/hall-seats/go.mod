module github.com/deadheat-corpus/hallseats

go 1.18
