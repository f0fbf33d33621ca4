module github.com/deadheat-corpus/endpointweights

go 1.18
