module github.com/deadheat-corpus/slotcleanup

go 1.18
