module github.com/deadheat-corpus/bookingonce

go 1.18
