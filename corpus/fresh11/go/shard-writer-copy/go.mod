module example.com/ledgerd/shards

go 1.22
