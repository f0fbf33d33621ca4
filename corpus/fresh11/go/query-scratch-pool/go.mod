module example.com/quarry/exec

go 1.22
