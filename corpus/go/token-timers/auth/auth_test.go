package auth

import (
	"testing"
	"time"
)

func TestDo(t *testing.T) {
	k := &Keeper{}
	k.Keep(5 * time.Millisecond)
	time.Sleep(40 * time.Millisecond)
	t.Log((&Client{k}).Do("/v1/users"))
}
