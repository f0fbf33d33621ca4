module example.com/postal/render

go 1.22
