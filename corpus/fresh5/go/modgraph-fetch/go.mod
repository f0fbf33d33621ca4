module github.com/deadheat-corpus/modgraphfetch

go 1.18
