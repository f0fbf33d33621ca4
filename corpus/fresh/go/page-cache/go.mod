module github.com/deadheat-corpus/pagecache

go 1.18
