// Package shop answers who ordered what.
package shop

import "github.com/deadheat-corpus/storekinds/store"

// User is a customer.
type User struct {
	Name string
}

// Order is what a customer wants.
type Order struct {
	By    string
	Cents int64
}

// Shop has users and orders.
type Shop struct {
	users  *store.Store[string, User]
	orders *store.Store[int64, Order]
}

// Open returns a shop.
func Open(users map[string]User, orders map[int64]Order) *Shop {
	return &Shop{users: store.Of(users), orders: store.Of(orders)}
}

// Payer returns who pays an order.
func (s *Shop) Payer(id int64) (User, bool) {
	order, ok := s.orders.Lookup(id) //race:Shop.orders.hits
	if !ok {
		return User{}, false
	}
	return s.user(order.By)
}

func (s *Shop) user(name string) (User, bool) {
	return s.users.Lookup(name) //race:Shop.users.hits
}
