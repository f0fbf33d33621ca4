module github.com/deadheat-corpus/renderbuffertests

go 1.18
