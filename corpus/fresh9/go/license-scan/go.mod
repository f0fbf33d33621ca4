module example.com/compliance/licensescan

go 1.18
