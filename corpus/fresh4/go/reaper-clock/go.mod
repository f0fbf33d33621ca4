module github.com/deadheat-corpus/reaperclock

go 1.18
