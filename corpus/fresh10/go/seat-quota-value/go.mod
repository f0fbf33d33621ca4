module example.com/turnstile/licences

go 1.22
