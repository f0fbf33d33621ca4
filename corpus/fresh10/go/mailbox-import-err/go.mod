module example.com/postern/imap

go 1.22
