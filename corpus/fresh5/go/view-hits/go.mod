module github.com/deadheat-corpus/viewhits

go 1.18
