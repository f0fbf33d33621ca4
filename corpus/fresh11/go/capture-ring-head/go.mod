module example.com/pktcap/ring

go 1.22
