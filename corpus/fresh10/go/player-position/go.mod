module example.com/skirmish/players

go 1.22
