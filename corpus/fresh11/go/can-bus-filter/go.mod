module example.com/fieldgw/canbus

go 1.22
