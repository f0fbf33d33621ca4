module github.com/deadheat-corpus/presencetimeout

go 1.18
