module example.com/skirmish/spawn

go 1.22
