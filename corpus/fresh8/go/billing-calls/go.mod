module github.com/deadheat-corpus/billingcalls

go 1.18
