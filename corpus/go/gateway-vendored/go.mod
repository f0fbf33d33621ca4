module example.com/edge/gateway

go 1.18

require example.com/lib/bucket v0.3.1
