module example.com/seatkit

go 1.22
