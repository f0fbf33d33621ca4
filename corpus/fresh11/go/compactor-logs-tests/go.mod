module example.com/quarry/compact

go 1.22
