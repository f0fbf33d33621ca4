module github.com/deadheat-corpus/uploadordertests

go 1.18
