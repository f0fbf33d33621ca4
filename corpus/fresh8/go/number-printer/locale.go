package main

import (
	"fmt"
	"strings"
	"sync"
)

type printer struct {
	tag   string
	group string
}

func (p *printer) number(n int) string {
	digits := fmt.Sprint(n)
	var parts []string
	for len(digits) > 3 {
		parts = append([]string{digits[len(digits)-3:]}, parts...)
		digits = digits[:len(digits)-3]
	}
	return strings.Join(append([]string{digits}, parts...), p.group) //race:printer.group
}

var standard *printer

func defaultPrinter() *printer {
	if standard != nil { //race:standard
		return standard //race:standard
	}
	p := &printer{tag: "en", group: ","} //race:printer.group
	standard = p                         //race:standard
	return p
}

type invoice struct {
	id    int
	total int
}

func render(i invoice) string {
	return fmt.Sprintf("#%d: %s", i.id, defaultPrinter().number(i.total))
}

func main() {
	var wg sync.WaitGroup
	pages := make([]string, 4)
	for i := range pages {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			pages[i] = render(invoice{i, 1000000 + i})
		}(i)
	}
	wg.Wait()
	fmt.Println(len(pages), "pages")
}
