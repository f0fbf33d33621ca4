module example.com/pktcap/rotate

go 1.22
