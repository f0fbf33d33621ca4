module example.com/softswitch/arp

go 1.22
