// Package web serves pages.
package web

import (
	"fmt"
	"net/http"

	"example.com/storefront/i18n/i18n"
)

// Handler greets in the language of the catalog.
func Handler(c *i18n.Catalog) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s, %s", c.T("greeting"), r.URL.Query().Get("name"))
	})
}
