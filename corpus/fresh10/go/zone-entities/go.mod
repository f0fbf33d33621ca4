module example.com/skirmish/zone

go 1.22
