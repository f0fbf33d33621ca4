module github.com/deadheat-corpus/phasebarrier

go 1.18
