module example.com/clusterd/informer

go 1.22
