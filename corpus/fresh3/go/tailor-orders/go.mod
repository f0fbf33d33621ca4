module github.com/deadheat-corpus/tailororders

go 1.18
