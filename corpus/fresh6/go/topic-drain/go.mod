module github.com/deadheat-corpus/topicdrain

go 1.18
