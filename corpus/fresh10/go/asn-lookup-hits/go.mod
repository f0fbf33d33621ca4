module example.com/flowmap/asn

go 1.22
