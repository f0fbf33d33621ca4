module example.com/fieldgw/serial

go 1.22
