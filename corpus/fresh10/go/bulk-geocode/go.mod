module example.com/meridian/geocode

go 1.22
