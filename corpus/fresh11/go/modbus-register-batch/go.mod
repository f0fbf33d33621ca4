module example.com/fieldgw/modbus

go 1.22
