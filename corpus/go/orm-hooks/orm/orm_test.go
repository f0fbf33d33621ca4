package orm

import (
	"testing"
	"time"
)

func TestAudit(t *testing.T) {
	m := &Model{}
	counts := Audit(m)
	go m.Create(1)
	go m.Update(1)
	time.Sleep(30 * time.Millisecond)
	t.Log(counts())
}
