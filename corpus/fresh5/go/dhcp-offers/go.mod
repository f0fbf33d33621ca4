module github.com/deadheat-corpus/dhcpoffers

go 1.18
