module example.com/accounts/tenants

go 1.18
