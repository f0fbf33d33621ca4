module example.com/caravan/migrate

go 1.22
