module github.com/deadheat-corpus/reconnectdelay

go 1.18
