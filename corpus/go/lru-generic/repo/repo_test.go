package repo

import (
	"testing"
	"time"

	"github.com/deadheat-corpus/lru/lru"
)

func TestRates(t *testing.T) {
	users := &Users{lru.New("ada", User{"ada"})}
	orders := &Orders{lru.New(7, Order{7, 950})}
	go func() {
		users.Find("ada")
		orders.Find(7)
	}()
	time.Sleep(30 * time.Millisecond)
	t.Log(users.Rate(), orders.Rate())
}
