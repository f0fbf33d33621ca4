module example.com/skirmish/lobby

go 1.22
