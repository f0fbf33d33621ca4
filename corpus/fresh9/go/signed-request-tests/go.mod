module git.example.org/sdk/signer

go 1.18
