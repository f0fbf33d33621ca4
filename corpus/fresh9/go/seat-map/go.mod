module example.com/tickets/seats

go 1.18
