module github.com/deadheat-corpus/csvloader

go 1.18
