package geo

import (
	"errors"
	"net"
	"sync"
	"time"
)

var ErrNoRecord = errors.New("no record")

type database struct {
	ranges map[string]string
}

func openDatabase(path string) (*database, error) {
	time.Sleep(time.Millisecond)
	if path == "" {
		return nil, errors.New("geo: no path")
	}
	return &database{ranges: map[string]string{"10.0.0.0/8": "internal", "192.0.2.0/24": "test"}}, nil //race:database.ranges
}

func (d *database) find(ip net.IP) (string, error) {
	for cidr, name := range d.ranges { //race:database.ranges
		_, n, err := net.ParseCIDR(cidr)
		if err == nil && n.Contains(ip) {
			return name, nil
		}
	}
	return "", ErrNoRecord
}

// Resolver opens its database when it is asked for the first time.
type Resolver struct {
	Path string

	mu sync.Mutex
	db *database
}

func (r *Resolver) open() (*database, error) {
	if r.db != nil { //race:Resolver.db
		return r.db, nil //race:Resolver.db
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.db != nil {
		return r.db, nil
	}
	db, err := openDatabase(r.Path)
	if err != nil {
		return nil, err
	}
	r.db = db //race:Resolver.db
	return db, nil
}

// Country tells where an address is.
func (r *Resolver) Country(addr string) (string, error) {
	db, err := r.open()
	if err != nil {
		return "", err
	}
	ip := net.ParseIP(addr)
	if ip == nil {
		return "", errors.New("geo: bad address " + addr)
	}
	return db.find(ip)
}
