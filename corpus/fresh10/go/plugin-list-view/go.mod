module example.com/grafter/plugins

go 1.22
