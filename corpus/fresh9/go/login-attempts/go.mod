module example.com/auth/guard

go 1.18
