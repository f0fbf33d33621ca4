module example.com/fieldgw/mqtt

go 1.22
