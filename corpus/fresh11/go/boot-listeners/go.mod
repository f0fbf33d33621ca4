module example.com/edgeproxy/boot

go 1.22
