module github.com/deadheat-corpus/agentsteps

go 1.18
