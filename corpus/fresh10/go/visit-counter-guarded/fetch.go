package main

import "strings"

// fetch stands for a download.
func fetch(url string) string {
	if !strings.HasPrefix(url, "https://") {
		panic("not over TLS: " + url)
	}
	return strings.Repeat("<p>", len(url))
}
