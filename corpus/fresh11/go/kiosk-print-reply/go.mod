module example.com/kiosk/printer

go 1.22
