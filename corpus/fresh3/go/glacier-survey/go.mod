module github.com/deadheat-corpus/glaciersurvey

go 1.18
