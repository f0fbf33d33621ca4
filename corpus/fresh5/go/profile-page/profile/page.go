package profile

import (
	"fmt"
	"time"
)

// Backend has the parts of a page.
type Backend interface {
	User(id int) (string, error)
	Orders(id int) (int, error)
	Badges(id int) (int, error)
}

// Page is a profile.
type Page struct {
	Name   string
	Orders int
	Badges int
}

// Load loads a profile.
func Load(b Backend, id int) (*Page, error) {
	var page Page
	var err error
	var g group
	page.Name, err = b.User(id)
	if err != nil {
		return nil, fmt.Errorf("user %d: %w", id, err)
	}
	g.Go(func() error {
		page.Orders, err = b.Orders(id) //race:Load.err
		return err                      //race:Load.err
	})
	g.Go(func() error {
		page.Badges, err = b.Badges(id) //race:Load.err
		return err                      //race:Load.err
	})
	if failed := g.Wait(); failed != nil {
		return nil, failed
	}
	return &page, nil
}

// Static is a backend without a network.
type Static time.Duration

// User is always the same.
func (s Static) User(int) (string, error) { return "ada", nil }

// Orders are counted slowly.
func (s Static) Orders(int) (int, error) { time.Sleep(time.Duration(s)); return 3, nil }

// Badges are counted slowly too.
func (s Static) Badges(int) (int, error) { time.Sleep(time.Duration(s)); return 1, nil }
