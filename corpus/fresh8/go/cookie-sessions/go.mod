module github.com/deadheat-corpus/cookiesessions

go 1.18
