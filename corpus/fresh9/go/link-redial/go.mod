module example.com/iot/uplink

go 1.18
