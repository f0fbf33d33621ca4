module github.com/deadheat-corpus/dnsrelay

go 1.18
