module github.com/deadheat-corpus/canarydeploy

go 1.18
