module example.com/aqueduct/pipeline

go 1.22
