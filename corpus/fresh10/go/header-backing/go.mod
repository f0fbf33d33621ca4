module example.com/waybill/headers

go 1.22
