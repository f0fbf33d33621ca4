package proxy

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/confreload/conf"
)

func TestReloadUnderLoad(t *testing.T) {
	c := conf.Default()
	p := New(c)
	w := conf.Watch(c)
	go w.Changed("warn b c")
	time.Sleep(30 * time.Millisecond)
	t.Log(p.Handle("/index"))
}
