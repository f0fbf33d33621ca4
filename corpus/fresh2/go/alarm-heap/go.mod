module github.com/deadheat-corpus/alarmheap

go 1.18
