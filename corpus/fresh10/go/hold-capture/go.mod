module example.com/tally/payments

go 1.22
