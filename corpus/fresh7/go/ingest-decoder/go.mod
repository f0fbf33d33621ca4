module github.com/deadheat-corpus/ingestdecoder

go 1.18
