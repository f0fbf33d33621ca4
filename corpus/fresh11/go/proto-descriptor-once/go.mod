module example.com/wirefmt/desc

go 1.22
