module example.com/tally/refunds

go 1.22
