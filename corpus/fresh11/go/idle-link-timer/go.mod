module example.com/softswitch/link

go 1.22
