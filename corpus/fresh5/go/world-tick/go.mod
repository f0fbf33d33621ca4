module github.com/deadheat-corpus/worldtick

go 1.18
