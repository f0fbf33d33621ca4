module github.com/deadheat-corpus/spellwords

go 1.18
