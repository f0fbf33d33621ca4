module example.com/billing/tariff

go 1.18
