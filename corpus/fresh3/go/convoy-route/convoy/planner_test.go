package convoy

import (
	"testing"
	"time"
)

func TestHeavyLoad(t *testing.T) {
	atlas := NewAtlas(4*time.Millisecond, Road{"Kiel", "Hamburg", 60, 97}, Road{"Hamburg", "Bremen", 80, 126})
	p := &Planner{Atlas: atlas, Tonnes: 50}
	route, err := p.Plan("Kiel", "Hamburg", "Bremen")
	if err != nil || route.Km != 223 {
		t.Fatalf("%+v, %v", route, err)
	}
}
