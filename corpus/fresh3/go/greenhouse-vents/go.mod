module github.com/deadheat-corpus/greenhousevents

go 1.18
