package bulk

import (
	"net/http/httptest"
	"testing"
	"time"
)

func TestStatusPage(t *testing.T) {
	im := NewImporter("orders", 2*time.Millisecond)
	go im.Load([]int{100, 250, 75})
	time.Sleep(5 * time.Millisecond)
	for i := 0; i < 3; i++ {
		w := httptest.NewRecorder()
		im.ServeHTTP(w, httptest.NewRequest("GET", "/status", nil))
		if w.Code != 200 {
			t.Errorf("code %d", w.Code)
		}
		time.Sleep(3 * time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
}
