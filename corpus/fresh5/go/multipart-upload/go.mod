module github.com/deadheat-corpus/multipartupload

go 1.18
