package quorum

import "testing"

func TestGet(t *testing.T) {
	t.Log(Near().Get())
}
