module example.com/fleet/cordon

go 1.20
