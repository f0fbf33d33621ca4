package operator

import (
	"testing"
	"time"
)

type fakeClient struct {
	calls []string
}

func (f *fakeClient) Create(kind, name string) error {
	f.calls = append(f.calls, "create "+kind+" "+name) //race:fakeClient.calls
	return nil
}

func (f *fakeClient) Delete(kind, name string) error {
	f.calls = append(f.calls, "delete "+kind+" "+name) //race:fakeClient.calls
	return nil
}

var cluster = &fakeClient{}

func reconcile(t *testing.T, db Database) {
	t.Helper()
	r := &Reconciler{Client: cluster}
	if err := r.Reconcile(db); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Millisecond)
}

func TestCreatesObjects(t *testing.T) {
	t.Parallel()
	reconcile(t, Database{Name: "orders", Replicas: 3})
}

func TestDeletesObjects(t *testing.T) {
	t.Parallel()
	reconcile(t, Database{Name: "legacy", Removed: true})
}

func TestIsIdempotent(t *testing.T) {
	t.Parallel()
	reconcile(t, Database{Name: "users", Replicas: 1})
	reconcile(t, Database{Name: "users", Replicas: 1})
}
