module example.com/edgeproxy/geoip

go 1.22
