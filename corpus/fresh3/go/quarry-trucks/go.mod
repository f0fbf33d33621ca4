module github.com/deadheat-corpus/quarrytrucks

go 1.18
