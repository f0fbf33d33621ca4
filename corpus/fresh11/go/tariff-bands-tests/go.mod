module example.com/metering/tariff

go 1.22
