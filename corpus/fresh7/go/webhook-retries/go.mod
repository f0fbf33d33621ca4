module github.com/deadheat-corpus/webhookretries

go 1.18
