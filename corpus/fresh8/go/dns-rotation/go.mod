module github.com/deadheat-corpus/dnsrotation

go 1.18
