package ddl

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/catalog/catalog"
)

func TestResolveDuringChanges(t *testing.T) {
	c := catalog.New()
	o := NewOwner(c)
	go o.Apply("create table a x y", "create view b")
	time.Sleep(30 * time.Millisecond)
	t.Log(c.Resolve("none"))
}
