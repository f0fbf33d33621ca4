module github.com/deadheat-corpus/gatewayclients

go 1.18
