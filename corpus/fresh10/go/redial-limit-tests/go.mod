module example.com/tether/redial

go 1.22
