module example.com/parlour/cards

go 1.22
