module example.com/overseer/units

go 1.22
