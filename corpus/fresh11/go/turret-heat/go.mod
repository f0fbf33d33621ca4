module example.com/skirmish/sim

go 1.22
