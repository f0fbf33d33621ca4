package assets

import (
	"encoding/json"
	"sort"
	"strings"
	"sync"
)

type doc struct {
	ID   string   `json:"id"`
	Tags []string `json:"tags"`
}

func renderText(a *Asset) string {
	tags := a.Tags()
	var sb strings.Builder
	sb.WriteString(a.ID)
	for _, t := range tags { //race:Asset.tags[]
		sb.WriteString(" #")
		sb.WriteString(t)
	}
	return sb.String()
}

func renderJSON(a *Asset) (string, error) {
	tags := a.Tags()
	sort.Strings(tags)                        //race:Asset.tags[]
	out, err := json.Marshal(doc{a.ID, tags}) //race:Asset.tags[]
	return string(out), err
}

// Publish renders an asset for both outputs.
func Publish(a *Asset) (text, js string, err error) {
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		text = renderText(a)
	}()
	go func() {
		defer wg.Done()
		js, err = renderJSON(a)
	}()
	wg.Wait()
	return
}
