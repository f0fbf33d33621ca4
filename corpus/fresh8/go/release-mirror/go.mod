module github.com/deadheat-corpus/releasemirror

go 1.18
