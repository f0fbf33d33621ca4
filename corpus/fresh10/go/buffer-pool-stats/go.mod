module example.com/relaykit/frames

go 1.22
