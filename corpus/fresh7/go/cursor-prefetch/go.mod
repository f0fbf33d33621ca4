module github.com/deadheat-corpus/cursorprefetch

go 1.18
