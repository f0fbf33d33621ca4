package profile

import (
	"context"
	"testing"
	"time"
)

type mockStore struct {
	records map[string]map[string]string
	asked   []string
}

func (m *mockStore) Load(ctx context.Context, key string) (map[string]string, error) {
	m.asked = append(m.asked, key) //race:mockStore.asked
	time.Sleep(time.Millisecond)
	return m.records[key], nil
}

func TestDisplayName(t *testing.T) {
	store := &mockStore{records: map[string]map[string]string{
		"profile/1": {"name": "Ada", "nick": "al"},
		"profile/2": {"name": "Ben"},
	}}
	svc := NewService(store)
	for id, want := range map[string]string{"1": "al", "2": "Ben", "3": ""} {
		id, want := id, want
		t.Run("user "+id, func(t *testing.T) {
			t.Parallel()
			got, err := svc.DisplayName(context.Background(), id)
			if err != nil || got != want {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		})
	}
}
