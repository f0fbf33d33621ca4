// Package backend talks to a store.
package backend

// Conn is a connection.
type Conn struct{ Addr string }

// Codec turns values into bytes.
type Codec struct{ Name string }

// Policy says how often to try.
type Policy struct{ Tries int }
