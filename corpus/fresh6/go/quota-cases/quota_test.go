package quota

import (
	"testing"
	"time"
)

type slowSource map[string]Limits

func (s slowSource) Limits(namespace string) (Limits, bool) {
	time.Sleep(2 * time.Millisecond)
	lim, ok := s[namespace]
	return lim, ok
}

func TestAdmit(t *testing.T) {
	c := NewChecker(slowSource{"shop": {CPU: 8, Memory: 64}})
	req := &Request{Namespace: "shop", CPU: 2, Memory: 16, Priority: "batch"}

	cases := []struct {
		name string
		cpu  int
		mem  int
		ok   bool
	}{
		{"fits", 4, 32, true},
		{"too much cpu", 12, 32, false},
		{"too much memory", 4, 128, false},
		{"exactly", 8, 64, true},
	}
	for _, tc := range cases {
		tc := tc
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			req.CPU = tc.cpu    //race:req.CPU
			req.Memory = tc.mem //race:req.Memory
			err := c.Admit(req)
			if (err == nil) != tc.ok {
				t.Logf("Admit: %v", err)
			}
		})
	}
}

func TestAdmitUnknownNamespace(t *testing.T) {
	c := NewChecker(slowSource{})
	if err := c.Admit(&Request{Namespace: "lab"}); err == nil {
		t.Fatal("admitted without a quota")
	}
}
