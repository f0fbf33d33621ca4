module example.com/media/variants

go 1.18
