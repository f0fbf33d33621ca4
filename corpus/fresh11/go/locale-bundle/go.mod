module example.com/storefront/i18n

go 1.22
