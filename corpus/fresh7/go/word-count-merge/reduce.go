package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

type document struct {
	lang string
	text string
}

type summary struct {
	words int
	langs int
}

func tokens(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return r == ' ' || r == '.' || r == ','
	})
}

func pause(n int) { time.Sleep(time.Duration(n) * 300 * time.Microsecond) }

func summarize(docs []document) summary {
	freq := map[string]int{}
	byLang := map[string]int{}
	var wg sync.WaitGroup
	for i := range docs {
		d := docs[i]
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, w := range tokens(d.text) {
				freq[w]++ //race:freq
				pause(1)
			}
			byLang[d.lang]++ //race:byLang
		}()
		pause(i)
	}
	wg.Wait()
	return summary{words: len(freq), langs: len(byLang)}
}

func main() {
	s := summarize([]document{
		{"en", "The quick brown fox."},
		{"de", "Der schnelle braune Fuchs."},
	})
	fmt.Println("words:", s.words > 0, "langs:", s.langs > 0)
}
