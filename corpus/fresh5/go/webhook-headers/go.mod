module github.com/deadheat-corpus/webhookheaders

go 1.18
