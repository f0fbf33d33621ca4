module example.com/game/assets

go 1.22
