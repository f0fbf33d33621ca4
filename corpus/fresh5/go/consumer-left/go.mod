module github.com/deadheat-corpus/consumerleft

go 1.18
