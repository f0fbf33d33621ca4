module github.com/deadheat-corpus/peopleindex

go 1.18
