module example.com/anvil/build

go 1.22
