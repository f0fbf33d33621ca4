module example.com/facet/shaders

go 1.20
