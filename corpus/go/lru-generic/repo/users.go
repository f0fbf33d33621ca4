package repo

import "github.com/deadheat-corpus/lru/lru"

// User is a person.
type User struct {
	Name string
}

// Users finds users.
type Users struct {
	cache *lru.Cache[string, User]
}

// Find finds a user by name.
func (u *Users) Find(name string) bool {
	_, ok := u.cache.Get(name) //race:users.hits
	return ok
}

// Rate is the number of hits.
func (u *Users) Rate() int {
	return lru.Hits(u.cache) //race:users.hits
}
