package tenants

import (
	"errors"
	"fmt"
	"testing"
)

func TestCreateNormalisesID(t *testing.T) {
	t.Parallel()
	svc := NewService(repo)
	for i := 0; i < 20; i++ {
		got, err := svc.Create(fmt.Sprintf(" Acme-%d ", i), "free")
		if err != nil {
			t.Fatal(err)
		}
		if got.ID != fmt.Sprintf("acme-%d", i) {
			t.Errorf("got %q", got.ID)
		}
	}
}

func TestCreateTwice(t *testing.T) {
	t.Parallel()
	svc := NewService(repo)
	if _, err := svc.Create("globex", "pro"); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Create("globex", "pro"); !errors.Is(err, ErrExists) {
		t.Errorf("got %v", err)
	}
}
