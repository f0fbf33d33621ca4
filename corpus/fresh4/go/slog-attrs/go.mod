module github.com/deadheat-corpus/slogattrs

go 1.21
