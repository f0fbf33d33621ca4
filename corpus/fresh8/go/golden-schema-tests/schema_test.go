package schema

import (
	"testing"
	"time"
)

var golden = map[string]string{
	"users":  "CREATE TABLE users (id, name, email)",
	"orders": "CREATE TABLE orders (id, user_id, total)",
	"items":  "CREATE TABLE items (sku, price)",
}

func check(t *testing.T, table Table) {
	t.Helper()
	golden[table.Name] = Normalise(golden[table.Name]) //race:golden[]
	if got := Normalise(DDL(table)); got != golden[table.Name] { //race:golden[]
		t.Errorf("got %s", got)
	}
	time.Sleep(time.Millisecond)
}

func TestUsers(t *testing.T) {
	t.Parallel()
	check(t, Table{"users", []string{"id", "name", "email"}})
}

func TestOrders(t *testing.T) {
	t.Parallel()
	check(t, Table{"orders", []string{"id", "user_id", "total"}})
}

func TestItems(t *testing.T) {
	t.Parallel()
	check(t, Table{"items", []string{"sku", "price"}})
}
