module github.com/deadheat-corpus/sockethub

go 1.18
