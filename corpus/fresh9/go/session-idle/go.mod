module example.com/sftp/server

go 1.21
