module example.com/cloudseat/quota

go 1.22
