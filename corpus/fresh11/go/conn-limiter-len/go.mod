module example.com/frontdoor/limit

go 1.22
