module github.com/deadheat-corpus/paralleltariffs

go 1.18
