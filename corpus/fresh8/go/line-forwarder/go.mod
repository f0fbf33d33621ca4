module github.com/deadheat-corpus/lineforwarder

go 1.18
