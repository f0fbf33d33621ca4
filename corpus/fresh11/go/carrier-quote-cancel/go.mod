module example.com/parcels/quotes

go 1.22
