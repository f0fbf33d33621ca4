module example.com/helmsman/yamlout

go 1.22
