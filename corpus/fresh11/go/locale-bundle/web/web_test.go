package web

import (
	"net/http/httptest"
	"sync"
	"testing"

	"example.com/storefront/i18n/i18n"
)

func TestGreetings(t *testing.T) {
	h := Handler(i18n.NewCatalog("greeting=Hei\nbye=Ha det"))
	var visitors sync.WaitGroup
	for _, name := range []string{"Ola", "Kari", "Nils"} {
		visitors.Add(1)
		go func() {
			defer visitors.Done()
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/?name="+name, nil))
			if w.Body.Len() == 0 {
				t.Error("nothing for", name)
			}
		}()
	}
	visitors.Wait()
}
