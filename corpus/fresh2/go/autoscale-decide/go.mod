module github.com/deadheat-corpus/autoscaledecide

go 1.18
