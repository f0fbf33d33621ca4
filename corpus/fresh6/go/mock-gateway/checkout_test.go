package checkout

import (
	"errors"
	"fmt"
	"testing"
)

type mockGateway struct {
	charges int
	last    int
}

func (m *mockGateway) Charge(cents int) (string, error) {
	m.charges++    //race:mockGateway.charges
	m.last = cents //race:mockGateway.last
	return fmt.Sprintf("rcpt-%d", cents), nil
}

func TestPay(t *testing.T) {
	gw := &mockGateway{}
	svc := NewService(gw)

	cases := []struct {
		name  string
		lines []Line
		want  string
		err   error
	}{
		{"one", []Line{{"A", 250, 1}}, "rcpt-250", nil},
		{"many", []Line{{"A", 250, 2}, {"B", 100, 3}}, "rcpt-800", nil},
		{"empty", nil, "", ErrEmpty},
	}
	for _, tc := range cases {
		tc := tc
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := svc.Pay(tc.lines)
			if got != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("Pay: %q, %v", got, err)
			}
		})
	}
}
