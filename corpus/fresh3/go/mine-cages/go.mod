module github.com/deadheat-corpus/minecages

go 1.18
