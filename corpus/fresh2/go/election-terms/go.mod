module github.com/deadheat-corpus/electionterms

go 1.18
