module github.com/deadheat-corpus/mailrelay

go 1.18
