package parser

import (
	"testing"
	"time"
)

func TestTryThenFail(t *testing.T) {
	p := &Parser{}
	if err := p.Try("a+b"); err == nil {
		t.Fatal("no error")
	}
	go p.Watch()
	time.Sleep(20 * time.Millisecond)
	p.Fail()
}
