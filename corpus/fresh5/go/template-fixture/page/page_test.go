package page

import (
	"testing"
	"time"
)

func basePage() *Page { return base }

var base = &Page{Title: "Home", Blocks: []string{"header"}}

func TestRetitle(t *testing.T) {
	for _, title := range []string{"Shop", "Imprint", "About"} {
		title := title
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			basePage().Retitle(title)
			time.Sleep(3 * time.Millisecond)
		})
	}
}

func TestPlace(t *testing.T) {
	for _, block := range []string{"teaser", "footer"} {
		block := block
		t.Run(block, func(t *testing.T) {
			t.Parallel()
			if basePage().Place(block) == 0 {
				t.Error("no blocks")
			}
			time.Sleep(3 * time.Millisecond)
		})
	}
}
