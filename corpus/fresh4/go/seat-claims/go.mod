module github.com/deadheat-corpus/seatclaims

go 1.18
