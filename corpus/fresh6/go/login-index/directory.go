package main

import "fmt"

type user struct {
	id   int
	nick string
	room string
}

type directory struct {
	byID   map[int]*user
	byNick map[string]*user
}

func newDirectory() *directory {
	return &directory{byID: make(map[int]*user), byNick: make(map[string]*user)}
}

func (d *directory) join(u *user) error {
	if _, taken := d.byNick[u.nick]; taken { //race:directory.byNick[]
		return fmt.Errorf("nick %s is taken", u.nick)
	}
	d.byNick[u.nick] = u //race:directory.byNick[]
	d.byID[u.id] = u     //race:directory.byID[]
	return nil
}

func (d *directory) leave(id int) {
	u, ok := d.byID[id] //race:directory.byID[]
	if !ok {
		return
	}
	delete(d.byID, id)       //race:directory.byID[]
	delete(d.byNick, u.nick) //race:directory.byNick[]
}
