module github.com/deadheat-corpus/probedebounce

go 1.18
