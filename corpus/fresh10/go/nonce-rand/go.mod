module example.com/signet/challenge

go 1.22
