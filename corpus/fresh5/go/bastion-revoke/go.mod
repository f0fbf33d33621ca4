module github.com/deadheat-corpus/bastionrevoke

go 1.18
