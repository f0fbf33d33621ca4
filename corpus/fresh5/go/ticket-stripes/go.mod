module github.com/deadheat-corpus/ticketstripes

go 1.18
