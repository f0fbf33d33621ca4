package main

import (
	"fmt"
	"strings"
	"sync"

	"example.com/site/tmpl/tmpl"
)

func page(c *tmpl.Cache, name, title string) (string, error) {
	t, err := c.Get(name)
	if err != nil {
		return "", err
	}
	var sb strings.Builder
	err = t.Execute(&sb, map[string]string{"Title": title})
	return sb.String(), err
}

func main() {
	c := tmpl.NewCache(tmpl.Sources{
		"home":  "<h1>{{.Title}}</h1>",
		"about": "<h2>{{.Title}}</h2>",
		"blog":  "<h3>{{.Title}}</h3>",
	})
	var wg sync.WaitGroup
	for _, name := range []string{"home", "about", "blog"} {
		wg.Add(1)
		go func(name string) {
			defer wg.Done()
			if _, err := page(c, name, strings.ToUpper(name)); err != nil {
				fmt.Println(err)
			}
		}(name)
	}
	wg.Wait()
	c.Forget("home")
	fmt.Println("rendered")
}
