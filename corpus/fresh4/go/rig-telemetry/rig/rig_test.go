package rig

import "testing"

func TestStart(t *testing.T) {
	r := Start(Label("left"), Limit(3))
	for i := 0; i < 2; i++ {
		<-r.out
	}
}
