module example.com/edgeproxy/tickets

go 1.22
