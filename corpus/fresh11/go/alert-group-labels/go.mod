module example.com/pagerly/notify

go 1.22
