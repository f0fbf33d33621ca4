module example.com/web/greeter

go 1.18
