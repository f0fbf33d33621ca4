module example.com/sdk/auth

go 1.18
